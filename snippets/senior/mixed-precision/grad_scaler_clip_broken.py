import torch
from torch import nn


def clipped_step(unscale_first: bool, max_norm: float = 1.0) -> tuple[float, float]:
    """One SGD step (lr 1.0) with gradient clipping under a GradScaler.

    Returns:
        The norm that ``clip_grad_norm_`` saw (5 is the true one), and the length of
        the step that the weight took.
    """
    weight = nn.Parameter(torch.zeros(2))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("cpu")
    loss = weight @ torch.tensor([3.0, 4.0])
    scaler.scale(loss).backward()
    if unscale_first:
        scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_([weight], max_norm)
    scaler.step(optimizer)
    scaler.update()
    return norm.item(), weight.norm().item()


if __name__ == "__main__":
    print("                 norm seen   length of the step")
    print(
        "unscale_, clip {:11.1f}{:21.6f}".format(*clipped_step(unscale_first=True))
    )
    print(
        "clip           {:11.1f}{:21.6f}".format(*clipped_step(unscale_first=False))
    )
