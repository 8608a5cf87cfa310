import torch
from torch import nn


def reaches(model: nn.Module, x: torch.Tensor, sample: int = -1) -> list[int]:
    """Which samples of a batch have a gradient from one sample's output.

    Call it in eval mode: batch norm mixes the samples in train mode. The output
    is summed with random weights, because the plain sum of a softmax is constant.

    Args:
        model: returns one floating-point tensor that depends on x.
        x: a batch, floating point, shape (N, ...), N > 0.
        sample: index into the output, whose first dimension is N. The last one,
            because a recurrent layer mixes from earlier rows only.

    Raises:
        ValueError: the first dimensions of input and output differ.
    """
    x = x.detach().clone().requires_grad_()
    output = model(x.clone())  # the first layer may work in place
    if len(output) != len(x):
        raise ValueError(f"{len(x)} samples in, {len(output)} out")
    weights = torch.randn_like(output[sample])
    (gradient,) = torch.autograd.grad((output[sample] * weights).sum(), x)
    return (
        gradient.unsqueeze(1)
        .flatten(1)
        .ne(0)
        .any(dim=1)
        .nonzero()
        .flatten()
        .tolist()
    )


class TimeFirst(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.transpose(0, 1)


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(6, 4, 5)
    right = nn.Sequential(nn.Flatten(), nn.Linear(20, 2))
    mixed = nn.Sequential(TimeFirst(), nn.Flatten(0), nn.Unflatten(0, (6, 20)))
    mixed.append(nn.Linear(20, 2))
    for name, model in (("right", right), ("time first, then reshape", mixed)):
        print(f"{name}: output {tuple(model(x).shape)}, reads {reaches(model, x)}")
