import torch
import torch.nn.functional as F


def gradient(hidden, weight, targets, size, cache):
    """Gradient of the float32 weight (V, D) under autocast, in chunks of rows."""
    weight, losses = weight.clone().requires_grad_(), []
    with torch.autocast("cpu", torch.bfloat16, cache_enabled=cache):
        for h, y in zip(hidden.split(size), targets.split(size), strict=True):
            logits = F.linear(h, weight).float()
            losses.append(F.cross_entropy(logits, y, reduction="sum"))
    return torch.autograd.grad(sum(losses), weight)[0]


if __name__ == "__main__":
    torch.manual_seed(0)
    hidden = torch.randn(4096, 32) + torch.randn(32)  # not centered
    weight, targets = torch.randn(256, 32) / 6, torch.randint(256, (4096,))
    exact = weight.double().requires_grad_()
    F.cross_entropy(hidden.double() @ exact.T, targets, reduction="sum").backward()
    print("error of d_weight:  one cached cast  a cast per chunk")
    for size in (4096, 64, 8):
        row = f"{4096 // size:6} chunks"
        for cache in (True, False):
            difference = gradient(hidden, weight, targets, size, cache) - exact.grad
            error = difference.norm() / exact.grad.norm()
            row += f"{error:18.0%}" if error > 0.005 else f"{'under 0.5%':>18}"
        print(row)
