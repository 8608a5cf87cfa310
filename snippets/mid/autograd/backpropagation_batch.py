import torch
import torch.nn.functional as F
from torch import nn


def gradients(
    model: nn.Sequential, x: torch.Tensor, target: torch.Tensor
) -> list[torch.Tensor]:
    """Gradients of F.mse_loss(model(x), target) without autograd.

    Args:
        model: Linear(i, h), ReLU, Linear(h, o), all with biases.
        x: floating point, shape (N, i), of the model's dtype.
        target: the same dtype, shape (N, o).

    Returns:
        One tensor per parameter, in the order of ``model.parameters()``.
    """
    first, _, last = model
    with torch.no_grad():
        z = first(x)
        h = z.relu()
        y = last(h)
        dy = 2 * (y - target) / y.numel()  # (N, o), the mean is over all entries
        dz = (dy @ last.weight).masked_fill(z <= 0, 0)  # (N, h), off: 0
        return [dz.T @ x, dz.sum(0), dy.T @ h, dy.sum(0)]


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2)).double()
    x, target = torch.randn(8, 3).double(), torch.randn(8, 2).double()
    F.mse_loss(model(x), target).backward()
    mine = gradients(model, x, target)
    for (name, parameter), gradient in zip(model.named_parameters(), mine):
        same = torch.allclose(gradient, parameter.grad, rtol=0, atol=1e-12)
        print(f"{name:9} {tuple(gradient.shape)!s:7} as autograd: {same}")
