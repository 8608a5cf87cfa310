import torch
from torch.utils.data import DataLoader, Dataset


class Darkened(Dataset[torch.Tensor]):
    """Samples, float32 (3,), at half their brightness.

    Args:
        in_place: halve with ``/=``, which writes into the data. Wrong on purpose.
    """

    def __init__(self, in_place: bool) -> None:
        self.data = torch.full((4, 3), 8.0)
        self.in_place = in_place

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> torch.Tensor:
        sample = self.data[index]  # a view
        if self.in_place:
            sample /= 2
        else:
            sample = sample / 2
        return sample


if __name__ == "__main__":
    for in_place in (False, True):
        loader = DataLoader(Darkened(in_place), batch_size=2)
        means = [torch.cat(list(loader)).mean().item() for epoch in range(3)]
        print(f"in place: {in_place!s:5}  mean of each epoch: {means}")
