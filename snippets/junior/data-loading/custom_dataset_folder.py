# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def read_gray(path: Path) -> torch.Tensor:
    """A uint8 array (H, W) in a .npy file, as float32 in [0, 1], (1, H, W)."""
    return torch.from_numpy(np.load(path)).unsqueeze(0).float() / 255


class FolderDataset(Dataset[tuple[Any, int]]):
    """Files ``root/<class>/<anything>``, each read when its item is asked for.

    An item is a pair: what ``read`` and then ``transform`` return, and the label,
    an int. Files are sorted, so an index is the same file on any machine.

    Args:
        classes: class names in the order of their labels; the same for every split.
        transform: called with what was read, each time that an item is.
        read: returns what is in a file. For workers that are not forked, it and
            ``transform`` have to be picklable: functions of a module, not lambdas.
        pattern: which files below ``root``, at least one folder deep; the first
            folder is the class.

    Raises:
        ValueError: there is no file, or a file's class is not in ``classes``, or is
            there twice.
    """

    def __init__(
        self,
        root: str | Path,
        classes: Sequence[str],
        transform: Callable[[Any], Any] | None = None,
        read: Callable[[Path], Any] = read_gray,
        pattern: str = "*/*.npy",
    ) -> None:
        files = (path for path in Path(root).glob(pattern) if path.is_file())
        # On Windows, paths themselves are compared as if all letters were small.
        self.paths = sorted(files, key=lambda path: path.parts)
        if not self.paths:
            raise ValueError(f"no file {pattern} in {root}")
        names = [path.relative_to(root).parts[0] for path in self.paths]
        if unknown := sorted(set(names) - set(classes)):
            raise ValueError(f"not in classes: {unknown}")
        number = {name: label for label, name in enumerate(classes)}
        if len(number) < len(classes):
            raise ValueError(f"twice in classes: {list(classes)}")
        self.labels = [number[name] for name in names]
        self.transform, self.read = transform, read

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        item = self.read(self.paths[index])
        return self.transform(item) if self.transform else item, self.labels[index]


if __name__ == "__main__":

    def read_table(path: Path) -> torch.Tensor:
        return torch.from_numpy(np.loadtxt(path, delimiter=",", dtype=np.float32))

    with tempfile.TemporaryDirectory() as folder:
        for name, value in (("rest/b", 1), ("rest/a", 2), ("run/c", 3)):
            path = Path(folder, f"{name}.csv")
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"{value},0,0\n0,{value},0\n")
        signals = FolderDataset(
            folder, ["rest", "run"], None, read_table, "*/*.csv"
        )
        for x, labels in DataLoader(signals, batch_size=3):
            print(tuple(x.shape), x[:, 0, 0].tolist(), labels.tolist())
        try:
            FolderDataset(folder, ["rest"], pattern="*/*.csv")
        except ValueError as error:
            print(f"ValueError: {error}")
