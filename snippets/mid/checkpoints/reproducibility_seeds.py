# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import random

import numpy as np
import torch
from torch.utils.data import DataLoader


class Noisy(list):
    def __getitem__(self, index):
        return self.draw()


def epoch(draw, workers):
    """Four augmented samples; of the three libraries only torch is seeded."""
    torch.manual_seed(0)
    samples = Noisy(range(4))
    samples.draw = draw
    return [batch.item() for batch in DataLoader(samples, num_workers=workers)]


def torch_rand():
    return torch.rand(()).item()


if __name__ == "__main__":
    print("augmentation by   0 workers  1 worker  2 workers  1 as 2 workers")
    draws = {"torch": torch_rand, "random": random.random, "numpy": np.random.rand}
    for name, draw in draws.items():
        again = [epoch(draw, n) == epoch(draw, n) for n in (0, 1, 2)]
        other = epoch(draw, 1) == epoch(draw, 2)
        print(f"{name:18}{again[0]!s:11}{again[1]!s:10}{again[2]!s:11}{other}")
