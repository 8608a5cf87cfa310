from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset


class FolderDataset(Dataset[tuple[torch.Tensor, int]]):
    """Gray images in files ``root/<class>/<anything>.npy``, uint8, shape (H, W).

    An item is (image, label): float32 in [0, 1], shape (1, H, W), after
    ``transform``; and an int.

    Args:
        classes: class names in the order of their labels; the same for every split.
        transform: called with the image each time an item is read.

    Raises:
        ValueError: there is no file, or a file's class is not in ``classes``.
    """

    def __init__(
        self,
        root: Path,
        classes: Sequence[str],
        transform: Callable[[torch.Tensor], torch.Tensor] | None = None,
    ) -> None:
        self.paths = sorted(root.glob("*/*.npy"))
        if not self.paths:
            raise ValueError(f"no .npy file in the folders of {root}")
        self.labels = [list(classes).index(path.parent.name) for path in self.paths]
        self.transform = transform

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        image = (
            torch.from_numpy(np.load(self.paths[index])).unsqueeze(0).float() / 255
        )
        if self.transform:
            image = self.transform(image)
        return image, self.labels[index]


if __name__ == "__main__":
    try:
        FolderDataset(Path("no/such/folder"), ["bird", "cat", "dog"])
    except ValueError as error:
        print(f"ValueError: {error}")
