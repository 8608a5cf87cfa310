import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad

torch.manual_seed(0)
x, y = torch.randn(16, 3), torch.randn(16, 1)
model = nn.Linear(3, 1)


def loss(
    parameters: dict[str, torch.Tensor], x: torch.Tensor, y: torch.Tensor
) -> torch.Tensor:
    """Mean squared error as a pure function: x (N, 3), y (N, 1) -> scalar."""
    return F.mse_loss(functional_call(model, parameters, (x,)), y)


parameters = {
    name: parameter.detach() for name, parameter in model.named_parameters()
}
returned = grad(loss)(parameters, x, y)
print("grad(loss) returned the gradients; model.weight.grad is", model.weight.grad)

F.mse_loss(model(x), y).backward()
print(
    "backward() returned None; model.weight.grad is",
    [round(value, 4) for value in model.weight.grad[0].tolist()],
)
print(
    "equal to the returned ones:",
    torch.allclose(model.weight.grad, returned["weight"]),
)
