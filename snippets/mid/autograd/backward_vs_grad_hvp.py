import torch
import torch.nn.functional as F
from torch import nn


@torch.inference_mode(False)
@torch.enable_grad()  # the caller may be the step of an optimizer, under no_grad()
def hessian_vector_product(
    loss: torch.Tensor, parameters: list[torch.Tensor], vector: list[torch.Tensor]
) -> list[torch.Tensor]:
    """The Hessian of a loss times a vector, without building the Hessian.

    Args:
        loss: one number, with its graph, which is kept.
        parameters: real tensors that require grad, at least one.
        vector: one tensor per parameter, of its shape and dtype, a constant.

    Returns:
        One tensor per parameter, of its shape; zeros if the gradient is constant.
    """
    gradients = torch.autograd.grad(
        loss, parameters, create_graph=True, materialize_grads=True
    )
    dot = sum((g * v).sum() for g, v in zip(gradients, vector, strict=True))
    if not dot.requires_grad:
        return [torch.zeros_like(p) for p in parameters]
    return list(
        torch.autograd.grad(
            dot, parameters, retain_graph=True, materialize_grads=True
        )
    )


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 20), nn.Tanh(), nn.Linear(20, 1)).double()
    x, y = torch.randn(16, 3).double(), torch.randn(16, 1).double()
    parameters = list(model.parameters())
    vector = [torch.randn_like(p) for p in parameters]
    product = hessian_vector_product(F.mse_loss(model(x), y), parameters, vector)

    def gradients(step: float) -> tuple[torch.Tensor, ...]:
        moved = [(p + step * v).detach() for p, v in zip(parameters, vector)]
        at = {
            n: p.requires_grad_()
            for (n, _), p in zip(model.named_parameters(), moved)
        }
        loss = F.mse_loss(torch.func.functional_call(model, at, x), y)
        return torch.autograd.grad(loss, moved)

    ends = zip(product, gradients(1e-5), gradients(-1e-5))
    error = max(((p - (a - b) / 2e-5).abs().max().item()) for p, a, b in ends)
    n = sum(p.numel() for p in parameters)
    print(f"{n} parameters; the Hessian would hold {n * n:,} numbers")
    print("agrees with the difference of two gradients:", error < 1e-6)
    print("gradients left in .grad:", sum(p.grad is not None for p in parameters))
