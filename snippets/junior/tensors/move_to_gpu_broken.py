import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "meta"  # stands in for the GPU: shapes without data, on every machine


def loss_device(forgotten: str) -> str:
    """Device of the loss when one move to ``DEVICE`` is forgotten.

    Args:
        forgotten: "nothing", "model", "x", "x =" or "y".

    Raises:
        RuntimeError: tensors of two devices met.
    """
    model, x, y = nn.Linear(3, 1), torch.ones(4, 3), torch.ones(4, 1)
    if forgotten != "model":
        model.to(DEVICE)
    if forgotten == "x =":
        x.to(DEVICE)
    elif forgotten != "x":
        x = x.to(DEVICE)
    if forgotten != "y":
        y = y.to(DEVICE)
    return str(F.mse_loss(model(x), y).device)


if __name__ == "__main__":
    print("forgotten")
    for forgotten in ("nothing", "model", "x", "x =", "y"):
        try:
            print(f"{forgotten:8} loss on {loss_device(forgotten)}")
        except RuntimeError as error:
            print(f"{forgotten:8} RuntimeError: {error}")
