import torch


def rounded(w):
    """The nearest multiples of a half."""
    return (2 * w).round() / 2


def straight_through(w):
    """The same values; the gradient passes as if nothing had been rounded."""
    return w + (rounded(w) - w).detach()


torch.manual_seed(0)
x = torch.randn(256, 8).double()
y = x @ torch.linspace(-2, 2, 8).double() + 3
for quantize in (rounded, straight_through):
    w, b = torch.zeros(8).double(), torch.zeros(1).double()
    for step in range(101):
        params = [w.requires_grad_(), b.requires_grad_()]
        loss = (x @ quantize(w) + b - y).square().mean()
        if step in (0, 100):
            print(f"{quantize.__name__:16} step {step:3} loss {loss.item():5.2f}")
        grads = torch.autograd.grad(loss, params)
        w, b = ((p - 0.05 * g).detach() for p, g in zip(params, grads))
    print(f"  weights that moved: {int((w != 0).sum())} of 8")
