import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class Squares(Dataset[tuple[torch.Tensor, int]]):
    """Item i is (float32 tensor of shape (1,) that holds i squared, the int i)."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.asked: list[int] = []  # every index that was read, in order

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        self.asked.append(index)
        return torch.tensor([float(index**2)]), index


if __name__ == "__main__":
    dataset = Squares(7)
    lists = [[4, 0, 6], [1, 1]]
    for indices, batch in zip(lists, DataLoader(dataset, batch_sampler=lists)):
        by_hand = default_collate([dataset[index] for index in indices])
        same = all(torch.equal(a, b) for a, b in zip(batch, by_hand))
        print(f"the list {indices!s:9} gives labels {batch[1]}, as by hand: {same}")
