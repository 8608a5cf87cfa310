# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
import textwrap

import numpy as np
import torch


def gradient(write: str) -> float:
    """Gradient of ``weight * x`` at x = 2, after x was overwritten with 100.

    Args:
        write: how, one of "none", "numpy", "data" and "torch".

    Raises:
        RuntimeError: autograd noticed the write.
    """
    array = np.array([2.0])
    x = torch.from_numpy(array)
    weight = torch.ones(1, dtype=torch.float64, requires_grad=True)
    loss = (weight * x).sum()
    if write == "numpy":
        array[0] = 100
    elif write == "data":
        x.data[0] = 100
    elif write == "torch":
        x[0] = 100
    loss.backward()
    return weight.grad.item()


if __name__ == "__main__":
    for write in ("none", "numpy", "data", "torch"):
        try:
            print(f"{write:6} {gradient(write)}")
        except RuntimeError as error:
            print(f"{write:6} RuntimeError: {textwrap.shorten(str(error), 62)}")
