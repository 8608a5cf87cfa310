import torch
from torch import nn


def input_gradient(model: nn.Module, x: torch.Tensor, label: int) -> torch.Tensor:
    """Gradient of one class's logit for the input; x and the result are (N, 4)."""
    x = x.detach().requires_grad_()
    return torch.autograd.grad(model(x)[:, label].sum(), x)[0]


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(4, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 2)
    )
    x = torch.randn(1, 4)
    for mode in (model.train, model.eval):
        mode()
        for call in (1, 2):
            row = [
                f"{value:7.4f}"
                for value in input_gradient(model, x, label=1)[0].tolist()
            ]
            print(f"{mode.__name__}()".ljust(8), f"call {call} ", *row)
