# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import os
import tempfile
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset


class Records(Dataset[int]):
    """Item i is the i-th 4-byte number, unsigned, little-endian, of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.length = path.stat().st_size // 4
        self.file, self.process = None, None

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> int:
        if self.process != os.getpid():  # a forked worker opens its own
            self.file, self.process = self.path.open("rb"), os.getpid()
        self.file.seek(4 * range(self.length)[index])
        return int.from_bytes(self.file.read(4), "little")

    def __getstate__(self) -> dict:  # a spawned worker gets no open file
        return self.__dict__ | {"file": None, "process": None}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "records")
        path.write_bytes(b"".join(i.to_bytes(4, "little") for i in range(1000)))
        dataset = Records(path)
        print("item 7, read in the main process first:", dataset[7])
        for method in ("fork", "spawn"):
            options = {"num_workers": 2, "multiprocessing_context": method}
            found = torch.cat(list(DataLoader(dataset, 50, **options)))
            print(
                f"{method:5}  all right: {torch.equal(found, torch.arange(1000))}"
            )
        dataset.file.close()
