import torch


def orthogonalize(matrix, steps: int = 5, a=3.4445, b=-4.7750, c=2.0315):
    """Moves the singular values of a wide or square matrix towards one."""
    x = matrix / matrix.norm().clamp(min=1e-7)  # no singular value above one
    for _ in range(steps):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x


if __name__ == "__main__":
    torch.manual_seed(0)
    left, right = torch.linalg.qr(torch.randn(2, 64, 64, dtype=torch.double))[0]
    before = torch.logspace(0, -4, 64, dtype=torch.double)
    g = left @ before.diag() @ right
    muon = orthogonalize(g)
    after = (left.mT @ muon @ right.mT).diagonal()
    for i in (0, 16, 32, 47, 63):
        print(f"singular value {before[i]:.4f} -> {after[i]:.2f}")
    for name, x in {"gradient": g, "its sign": g.sign(), "Muon": muon}.items():
        values = torch.linalg.svdvals(x).square()
        print(f"{name:8}  {values[0] / values.sum():3.0%} in the largest direction")
