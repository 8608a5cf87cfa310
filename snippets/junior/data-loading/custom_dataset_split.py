from collections.abc import Callable

import torch
from torch.utils.data import Dataset, Subset, random_split


class Photos(Dataset[float]):
    """Item i is the float i, after ``transform``."""

    def __init__(
        self, length: int, transform: Callable[[float], float] | None = None
    ) -> None:
        self.length = length
        self.transform = transform

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> float:
        return self.transform(float(index)) if self.transform else float(index)


def split(
    train_view: Dataset,
    val_view: Dataset,
    val_size: int,
    generator: torch.Generator,
) -> tuple[Subset, Subset]:
    """Random ``val_size`` samples of ``val_view``, the others of ``train_view``."""
    order = torch.randperm(len(train_view), generator=generator).tolist()
    return Subset(train_view, order[val_size:]), Subset(val_view, order[:val_size])


def report(name: str, train: Subset, val: Subset) -> None:
    changed = [
        any(part[i] != part.indices[i] for i in range(len(part)))
        for part in (train, val)
    ]
    print(
        f"{name:26} train augmented: {changed[0]!s:5}  val augmented: {changed[1]}"
    )


if __name__ == "__main__":
    generator = torch.Generator().manual_seed(0)
    train, val = random_split(
        Photos(8, transform=lambda photo: photo + 0.5), [6, 2], generator=generator
    )
    report("random_split", train, val)
    val.dataset.transform = None
    report("val.dataset.transform=None", train, val)
    report(
        "split, two datasets",
        *split(Photos(8, lambda photo: photo + 0.5), Photos(8), 2, generator),
    )
