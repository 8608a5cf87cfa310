import torch


def nearest(w, scale):
    return (w / scale).round().clamp(-7, 7) * scale  # 4 bits


def gptq(w, x, scale):
    """Round w (out, in) for inputs x (rows, in), column by column."""
    h = x.T @ x + 0.01 * x.square().sum(0).mean() * torch.eye(x.shape[1])
    u = torch.linalg.cholesky(h.inverse(), upper=True)
    w = w.clone()
    for j in range(len(h)):
        error = (w[:, j] - nearest(w[:, j], scale[:, 0])) / u[j, j]
        w[:, j:] -= error.outer(u[j, j:])  # column j rounded, the rest makes up
    return w


torch.manual_seed(0)
w, x, mix = (torch.randn(n, 64).double() for n in (48, 4096, 64))
scale = w.abs().amax(1, keepdim=True) / 7
x = x @ mix * torch.logspace(0, -1, 64)  # correlated channels
for q in (nearest(w, scale), gptq(w, x[:2048], scale)):
    of_w, y = (q - w).norm() / w.norm(), x[2048:] @ w.T
    of_y = (x[2048:] @ q.T - y).norm() / y.norm()
    print(f"weights are {of_w:3.0%} off, outputs {of_y:3.0%}")
