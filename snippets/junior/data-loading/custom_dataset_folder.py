import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class FolderDataset(Dataset[tuple[torch.Tensor, int]]):
    """Gray images in files ``root/<class name>/<anything>.npy``, each uint8, shape (H, W).

    An item is (image, label): float32 in [0, 1], shape (1, H, W), after ``transform``; and an int.

    Args:
        classes: the class names in the order of their labels. Give every split the same list.
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
        return (self.transform(image) if self.transform else image), self.labels[
            index
        ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(["dog", "cat", "bird", "dog", "dog"]):
            file = Path(folder, name, f"{number}.npy")
            file.parent.mkdir(exist_ok=True)
            np.save(file, np.full((8, 8), 51 * number, dtype=np.uint8))

        dataset = FolderDataset(
            Path(folder),
            ["bird", "cat", "dog"],
            transform=lambda image: image.flip(-1),
        )
        print(
            f"len {len(dataset)}, files {[path.name for path in dataset.paths]}, labels {dataset.labels}"
        )
        image, label = dataset[0]
        print(
            f"item:   image {image.dtype} {tuple(image.shape)}, label {type(label).__name__} {label}"
        )
        for images, labels in DataLoader(dataset, batch_size=3):
            print(
                f"batch: images {images.dtype} {tuple(images.shape)}, labels {labels.dtype} {labels.tolist()}"
            )
