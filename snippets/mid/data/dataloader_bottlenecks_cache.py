# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import torch
from torch.utils.data import DataLoader, Dataset


class Decoded(Dataset):
    """Six samples; counts how often each of them is decoded."""

    def __init__(self, cache: str) -> None:
        self.decoded = torch.zeros(6, dtype=torch.int64).share_memory_()
        self.dict = {} if cache == "dict" else None
        self.tensor = torch.full((6,), torch.nan)
        if cache == "shared tensor":
            self.tensor.share_memory_()

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> float:
        if self.dict is not None and index in self.dict:
            return self.dict[index]
        if self.tensor.is_shared() and not self.tensor[index].isnan():
            return self.tensor[index].item()
        self.decoded[index] += 1
        sample = 10.0 * index  # the expensive part
        if self.dict is not None:
            self.dict[index] = sample
        self.tensor[index] = sample
        return sample


if __name__ == "__main__":
    for cache in ("none", "dict", "shared tensor"):
        for persistent in (False, True):
            dataset = Decoded(cache)
            torch.manual_seed(0)
            loader = DataLoader(
                dataset,
                shuffle=True,
                num_workers=2,
                persistent_workers=persistent,
                multiprocessing_context="fork",
            )
            per_epoch = []
            for _ in range(4):
                before = int(dataset.decoded.sum())
                list(loader)
                per_epoch.append(int(dataset.decoded.sum()) - before)
            print(f"{cache:14} persistent_workers={persistent!s:6} {per_epoch}")
