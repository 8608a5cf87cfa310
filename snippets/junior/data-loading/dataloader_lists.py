import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class Squares(Dataset[tuple[torch.Tensor, int]]):
    """Item i is (a float32 tensor of shape (1,) that holds i squared, the int i). Remembers what it was asked for."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.asked: list[int] = []

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        self.asked.append(index)
        return torch.tensor([float(index**2)]), index


if __name__ == "__main__":
    dataset = Squares(7)
    loader = DataLoader(
        dataset,
        batch_size=3,
        shuffle=True,
        generator=torch.Generator().manual_seed(0),
    )
    print(
        f"built:   len(dataset) {len(dataset)}, len(loader) {len(loader)}, items read {len(dataset.asked)}"
    )
    for epoch in (1, 2):
        for inputs, labels in loader:
            asked = dataset.asked[-len(labels) :]
            print(
                f"epoch {epoch}: asked for {asked!s:9}  inputs {tuple(inputs.shape)}  labels {labels}"
            )
    print(
        f"after:   items read {len(dataset.asked)}, item 4 read {dataset.asked.count(4)} times"
    )

    lists = [[4, 0, 6], [1, 1]]
    by_loader = list(DataLoader(dataset, batch_sampler=lists))
    by_hand = [
        default_collate([dataset[index] for index in indices]) for indices in lists
    ]
    same = all(
        torch.equal(a[0], b[0]) and torch.equal(a[1], b[1])
        for a, b in zip(by_loader, by_hand, strict=True)
    )
    print(
        f"the lists {lists} give {[labels.tolist() for _, labels in by_loader]}, as by hand: {same}"
    )
