import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import default_collate


def outcome(
    loss: torch.nn.Module, prediction: torch.Tensor, target: torch.Tensor
) -> str:
    """The dtype of the loss, or the name of the error."""
    try:
        return str(loss(prediction, target).dtype).removeprefix("torch.")
    except (RuntimeError, ValueError) as error:
        return type(error).__name__


if __name__ == "__main__":
    print(
        f"{'__getitem__ returns':19}  {'batch':14}  {'cross_entropy':13}  {'mse_loss':12}  {'bce with logits'}"
    )
    labels = {
        "int": 1,
        "float": 1.0,
        "np.float32": np.float32(1),
        "np.int32": np.int32(1),
        "bool": True,
        "tensor([1])": torch.tensor([1]),
        "tensor(1.0)": torch.tensor(1.0),
    }
    for name, label in labels.items():
        target = default_collate([label] * 4)
        print(
            f"{name:19}  {str(target.dtype).removeprefix('torch.'):7} {tuple(target.shape)!s:6}"
            f"  {outcome(F.cross_entropy, torch.zeros(4, 3), target):13}"
            f"  {outcome(F.mse_loss, torch.zeros(target.shape), target):12}"
            f"  {outcome(F.binary_cross_entropy_with_logits, torch.zeros(target.shape), target)}"
        )
