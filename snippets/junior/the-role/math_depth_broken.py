import torch
import torch.nn.functional as F
from torch.autograd.gradcheck import GradcheckError, gradcheck


class Relu(torch.autograd.Function):
    """max(x, 0), any shape; ``mask=False`` forgets the derivative on purpose."""

    @staticmethod
    def forward(ctx, x: torch.Tensor, mask: bool) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.mask = mask
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> tuple[torch.Tensor, None]:
        (x,) = ctx.saved_tensors
        return (grad * (x > 0) if ctx.mask else grad), None


def losses(mask: bool, seed: int, steps: int = 200) -> list[float]:
    """Training losses with this ReLU: is a point inside a circle?"""
    torch.manual_seed(seed)
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
    for seed in range(4):
        for name, mask in (("right", True), ("forgotten", False)):
            first, last = (losses(mask, seed)[step] for step in (0, -1))
            print(f"seed {seed}, {name:9}  loss {first:.1f} -> {last:.2f}")
    x = torch.tensor([-1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
    print("right      gradcheck:", gradcheck(lambda x: Relu.apply(x, True), x))
    try:
        gradcheck(lambda x: Relu.apply(x, False), x)
    except GradcheckError as error:
        print("forgotten  gradcheck:", type(error).__name__)
        print("  ", str(error).splitlines()[0])
