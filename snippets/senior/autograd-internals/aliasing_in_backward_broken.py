import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, in_place: bool) -> torch.Tensor:
        ctx.in_place = in_place
        return 2 * x

    @staticmethod
    def backward(ctx, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return (gradient.mul_(2) if ctx.in_place else gradient * 2), None


for in_place in (False, True):
    x = torch.tensor(1.0, requires_grad=True, dtype=torch.float64)
    print("in place:", in_place)
    ok = torch.autograd.gradcheck(lambda x, flag=in_place: Double.apply(x, flag), x)
    print("  gradcheck of Double:", ok)
    h = x * 1
    (h + Double.apply(h, in_place)).backward()
    print("  gradient of h + 2h: ", x.grad.item())
