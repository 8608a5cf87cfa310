import torch
import torch.nn.functional as F
from torch.autograd.gradcheck import GradcheckError


class Relu(torch.autograd.Function):
    """max(x, 0) for any shape, with a backward by hand; ``mask=False`` forgets the derivative on purpose."""

    @staticmethod
    def forward(ctx, x: torch.Tensor, mask: bool) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.mask = mask
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> tuple[torch.Tensor, None]:
        (x,) = ctx.saved_tensors
        return (grad * (x > 0) if ctx.mask else grad), None


def losses(mask: bool, steps: int = 200) -> list[float]:
    """Training losses of a small network on two classes, inside or outside of a circle, with this ReLU."""
    torch.manual_seed(0)
    points = torch.randn(256, 2)
    y = (points.norm(dim=1) > 1.2).long()
    x = torch.cat([points, torch.ones(256, 1)], dim=1)
    w1 = torch.randn(3, 16, requires_grad=True)
    w2 = torch.randn(16, 2, requires_grad=True)
    optimizer = torch.optim.SGD([w1, w2], lr=0.05)
    history = []
    for _ in range(steps):
        loss = F.cross_entropy(Relu.apply(x @ w1, mask) @ w2, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    return history


if __name__ == "__main__":
    for name, mask in (("right", True), ("derivative forgotten", False)):
        history = losses(mask)
        print(
            f"{name:21} loss after 1, 10, 50, 200 steps:",
            *(f"{history[step]:.4f}" for step in (0, 9, 49, 199)),
        )
        try:
            x = torch.tensor(
                [-1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True
            )
            print(
                f"{name:21} gradcheck: {torch.autograd.gradcheck(lambda x, mask=mask: Relu.apply(x, mask), x)}"
            )
        except GradcheckError as error:
            print(
                f"{name:21} gradcheck: {type(error).__name__}: {str(error).splitlines()[0]}"
            )
