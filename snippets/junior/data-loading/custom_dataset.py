import tempfile
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    """Images of root/<class>/*.pt: float32 in [0, 1], and the class as a number."""

    def __init__(self, root: Path, classes: list[str]) -> None:
        self.paths = sorted(root.glob("*/*.pt"))  # paths only, no image yet
        self.labels = [classes.index(path.parent.name) for path in self.paths]

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return torch.load(self.paths[index]).float() / 255, self.labels[index]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as root:
        for name in ("dog/0", "cat/1", "bird/2", "dog/3"):
            path = Path(root, f"{name}.pt")
            path.parent.mkdir(exist_ok=True)
            torch.save(torch.zeros(1, 8, 8, dtype=torch.uint8), path)
        dataset = Images(Path(root), ["bird", "cat", "dog"])
        print([path.stem for path in dataset.paths])
        for images, labels in DataLoader(dataset, batch_size=3):
            print(images.dtype, tuple(images.shape), labels.dtype, labels.tolist())
