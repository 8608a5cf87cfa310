from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import default_collate


def outcome(loss: Callable, prediction: torch.Tensor, target: torch.Tensor) -> str:
    """The dtype of the loss, or the name of the error."""
    try:
        return str(loss(prediction, target).dtype).removeprefix("torch.")
    except (RuntimeError, ValueError) as error:
        return type(error).__name__


if __name__ == "__main__":
    losses = {
        "cross_entropy": F.cross_entropy,
        "mse_loss": F.mse_loss,
        "bce with logits": F.binary_cross_entropy_with_logits,
    }
    labels = {
        "int": 1,
        "float": 1.0,
        "np.float32": np.float32(1),
        "np.int32": np.int32(1),
        "bool": True,
        "tensor([1])": torch.tensor([1]),
        "tensor(1.0)": torch.tensor(1.0),
    }
    print(
        f"{'__getitem__ returns':21}{'batch':16}"
        + "".join(f"{n:15}" for n in losses).rstrip()
    )
    for name, label in labels.items():
        target = default_collate([label] * 4)
        dtype = str(target.dtype).removeprefix("torch.")
        row = f"{name:21}{dtype:8}{tuple(target.shape)!s:8}"
        for loss_name, loss in losses.items():
            shape = (4, 3) if loss_name == "cross_entropy" else target.shape
            row += f"{outcome(loss, torch.zeros(shape), target):15}"
        print(row.rstrip())
