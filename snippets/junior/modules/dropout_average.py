from itertools import product

import torch
from torch import nn


def mean_over_masks(tail: nn.Module, x: torch.Tensor, p: float) -> torch.Tensor:
    """Expectation of ``tail(dropout(x))`` over all 2**n masks of x, float (n,)."""
    total = torch.tensor(0.0)
    for mask in product((0.0, 1.0), repeat=len(x)):
        keep = torch.tensor(mask)
        probability = ((1 - p) ** keep * p ** (1 - keep)).prod()
        total = total + probability * tail(x * keep / (1 - p))
    return total


if __name__ == "__main__":
    x = torch.tensor([1.0, -1.0])
    tails = {"sum": torch.sum, "relu(sum)": lambda h: h.sum().relu()}
    for name, tail in tails.items():
        mean = mean_over_masks(tail, x, p=0.5)
        print(f"{name:9}  mean over the masks: {mean:.2f}  eval: {tail(x):.2f}")
