import torch
from torch import nn


def normalize(
    x: torch.Tensor, axes: tuple[int, ...], center: bool = True, eps: float = 1e-5
) -> torch.Tensor:
    """Divide by a root mean square over some axes, after the mean is subtracted.

    Args:
        x: float32 or float64, any shape, with at least one value along ``axes``.
            In float16 the squares of values from 256 overflow.
        axes: the dimensions that share one mean and one scale.
        center: False is RMSNorm, which subtracts no mean.
        eps: added to the mean square.

    Returns:
        Shape and dtype of ``x``, without a learned scale and shift.
    """
    if center:
        x = x - x.mean(axes, keepdim=True)
    return x * (x.square().mean(axes, keepdim=True) + eps).rsqrt()


if __name__ == "__main__":
    x = torch.randn(2, 6, 5, 3, dtype=torch.float64) * 3 + 1
    tokens = x.movedim(1, -1)  # N, H, W, C
    grouped = x.view(2, 3, 2, 5, 3)  # N, groups, channels of a group, H, W
    kind = {"dtype": torch.float64}
    pairs = {
        "BatchNorm2d(6)": (nn.BatchNorm2d(6, **kind)(x), normalize(x, (0, 2, 3))),
        "InstanceNorm2d(6)": (nn.InstanceNorm2d(6)(x), normalize(x, (2, 3))),
        "GroupNorm(3, 6)": (
            nn.GroupNorm(3, 6, **kind)(x),
            normalize(grouped, (2, 3, 4)).view_as(x),
        ),
        "LayerNorm(6)": (nn.LayerNorm(6, **kind)(tokens), normalize(tokens, (-1,))),
        "RMSNorm(6)": (
            nn.RMSNorm(6, eps=1e-5, **kind)(tokens),
            normalize(tokens, (-1,), center=False),
        ),
    }
    for name, (torchs, ours) in pairs.items():
        print(
            f"{name:18} equal: {torch.allclose(torchs, ours, rtol=0, atol=1e-12)}"
        )
