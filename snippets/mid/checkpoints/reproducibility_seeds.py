# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import random
from collections.abc import Callable

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    """Samples with random augmentation, drawn from one of three libraries."""

    def __init__(self, draw: Callable[[], float]) -> None:
        self.draw = draw

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> float:
        return self.draw()


def epoch(draw: Callable[[], float], workers: int) -> list[float]:
    """One epoch after ``torch.manual_seed(0)`` and no other seed."""
    torch.manual_seed(0)
    loader = DataLoader(Noisy(draw), num_workers=workers)
    return [batch.item() for batch in loader]


def torch_rand() -> float:
    return torch.rand(()).item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    print("augmentation by   0 workers  1 worker  2 workers  1 as 2 workers")
    draws = {"torch": torch_rand, "random": random.random, "numpy": np.random.rand}
    for name, draw in draws.items():
        again = [epoch(draw, n) == epoch(draw, n) for n in (0, 1, 2)]
        other = epoch(draw, 1) == epoch(draw, 2)
        print(f"{name:18}{again[0]!s:11}{again[1]!s:10}{again[2]!s:11}{other}")
