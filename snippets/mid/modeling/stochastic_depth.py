import torch
from torch import nn


class DropPath(nn.Module):
    """Zeroes whole samples of a residual branch in train mode, each with ``drop``.

    Args:
        drop: probability in [0, 1). ValueError outside of it.

    Shape:
        (N, ...) -> the same, floating point and finite. Kept samples are divided by
        1 - drop, so the expectation is the input, which eval mode returns as it is.
    """

    def __init__(self, drop: float) -> None:
        super().__init__()
        if not 0 <= drop < 1:
            raise ValueError(f"drop must be in [0, 1), got {drop}")
        self.drop = drop

    def forward(self, branch: torch.Tensor) -> torch.Tensor:
        if not self.training or self.drop == 0:
            return branch
        keep = 1 - self.drop
        mask = branch.new_empty(len(branch), *[1] * (branch.ndim - 1))
        return branch * (mask.bernoulli_(keep) / keep)


if __name__ == "__main__":
    torch.manual_seed(0)
    path, branch = DropPath(0.2), torch.ones(6, 3)
    x = torch.full((6, 3), 10.0)
    print("train", *(x + path(branch)).tolist(), sep="\n  ")
    mean = path(torch.ones(100_000, 1)).mean()
    print(f"mean of the branch over 100,000 samples: {mean:.1f}")
    print("eval", *(x + path.eval()(branch))[0].tolist())
