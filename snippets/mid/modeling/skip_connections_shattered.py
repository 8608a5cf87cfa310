import torch
import torch.nn.functional as F


def similarity(skip: bool, norm: bool, depth: int) -> float:
    """Mean cosine of the input gradients at two points that are close together.

    The points differ by a tenth of their size. Blocks are relu(W h) with He
    initialization, before any step, in float64.
    """
    generator = torch.Generator().manual_seed(0)
    kind = {"generator": generator, "dtype": torch.float64}
    x = torch.randn(64, 64, **kind)
    near = x + 0.1 * torch.randn(64, 64, **kind)
    both = torch.stack([x, near]).requires_grad_()
    h = both
    for _ in range(depth):
        f = F.layer_norm(h, (64,)) if norm else h
        f = (f @ (torch.randn(64, 64, **kind) * (2 / 64) ** 0.5)).relu()
        h = h + f if skip else f
    (h @ torch.randn(64, 1, **kind)).sum().backward()
    return F.cosine_similarity(*both.grad, dim=1).mean().item()


if __name__ == "__main__":
    print("blocks                2     10     50")
    for norm in False, True:
        for skip in False, True:
            name = ("residual" if skip else "plain") + norm * ", norm"
            found = [similarity(skip, norm, depth) for depth in (2, 10, 50)]
            print(f"{name:16}", *[f"{value:6.2f}" for value in found])
