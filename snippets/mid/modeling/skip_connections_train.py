# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# slow = "trains 168 deep networks"
# ///
import torch
import torch.nn.functional as F


def final_losses(
    depth: int,
    skip: bool,
    norm: bool,
    rates: list[float],
    seeds: int,
    steps: int = 40,
) -> torch.Tensor:
    """Training loss after some steps of Adam, float64 (len(rates), seeds).

    All networks are trained at once. A block is relu(W norm(h) + b) with He
    initialization, the task is whether two of 16 numbers have the same sign.
    """
    generator = torch.Generator().manual_seed(0)
    kind = {"generator": generator, "dtype": torch.float64}
    w = torch.randn(1, seeds, depth, 16, 16, **kind) * (2 / 16) ** 0.5
    head = torch.randn(1, seeds, 16, 2, **kind) * (1 / 16) ** 0.5
    weights = [w, torch.zeros(1, seeds, depth, 1, 16).double(), head]
    weights = [p.repeat(len(rates), *[1] * (p.ndim - 1)) for p in weights]
    weights = [p.requires_grad_() for p in weights]
    means = [torch.zeros_like(p) for p in weights]
    squares = [torch.zeros_like(p) for p in weights]
    x = torch.randn(128, 16, **kind)
    y = (x[:, 0] * x[:, 1] > 0).long().repeat(len(rates) * seeds)
    for step in range(1, steps + 2):
        h, (w, b, head) = x.expand(len(rates), seeds, 128, 16), weights
        for i in range(depth):
            f = F.layer_norm(h, (16,)) if norm else h
            f = (f @ w[:, :, i] + b[:, :, i]).relu()
            h = h + f if skip else f
        logits = (F.layer_norm(h, (16,)) if norm else h) @ head
        losses = F.cross_entropy(logits.flatten(0, 2), y, reduction="none")
        losses = losses.view(len(rates), seeds, 128).mean(dim=2)
        if step == steps + 1:
            return losses.detach()
        found = torch.autograd.grad(losses.sum(), weights)
        with torch.no_grad():
            for p, g, m, v in zip(weights, found, means, squares):
                m.lerp_(g, 0.1)
                v.lerp_(g * g, 0.001)
                change = (
                    m / (1 - 0.9**step) / ((v / (1 - 0.999**step)).sqrt() + 1e-8)
                )
                p -= torch.tensor(rates).view(-1, *[1] * (p.ndim - 1)) * change


if __name__ == "__main__":
    torch.set_num_threads(1)
    rates = [0.0001, 0.0004, 0.0016, 0.0064, 0.0256, 0.1024, 0.4096]
    print("median of 3 seeds     loss before   best rate   rates that learn")
    for depth in 4, 24:
        for norm in False, True:
            for skip in False, True:
                before = final_losses(depth, skip, norm, rates, 3, steps=0)
                after = (
                    final_losses(depth, skip, norm, rates, 3).median(dim=1).values
                )
                name = (
                    f"{depth:2} {'residual' if skip else 'plain'}{', norm' * norm}"
                )
                learn = int((after < 1 / 3).sum())
                best = rates[after.argmin()] if learn else "none"
                row = f"{name:22}{before.median():11.0e}{best:>12}"
                print(f"{row}{learn:14} of 7")
