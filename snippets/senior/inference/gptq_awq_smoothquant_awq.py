import torch


def int4(w, group=32):
    """w on 15 levels, with one scale per group of inputs."""
    parts = w.reshape(-1, group)
    scale = parts.abs().amax(1, keepdim=True) / 7
    return ((parts / scale).round() * scale).view_as(w)


def awq(w, x, alpha):
    """Scale up the channels of w (out, in) whose inputs x (rows, in) are large."""
    s = x.abs().mean(0) ** alpha
    return int4(w * s) / s  # the model divides the inputs by s


def off(q, w, x):
    return ((x @ (q - w).T).norm() / (x @ w.T).norm()).item()


if __name__ == "__main__":
    torch.manual_seed(0)
    w, x = torch.randn(96, 128).double(), torch.randn(4096, 128).double()
    x[:, [5, 50, 100]] *= 20  # salient channels: 3 of 128
    fit, test = x[:2048], x[2048:]
    grid = [k / 10 for k in range(11)]
    alpha = min(grid, key=lambda a: off(awq(w, fit, a), w, fit))
    plans = {"nearest": int4(w), f"AWQ, alpha {alpha}": awq(w, fit, alpha)}
    for name, size in (("inputs", fit.abs().mean(0)), ("weights", w.norm(dim=0))):
        plans[f"3 largest {name} in float"] = int4(w)
        kept = size.topk(3).indices
        plans[f"3 largest {name} in float"][:, kept] = w[:, kept]
    for name, q in plans.items():
        of_w = (q - w).norm() / w.norm()
        print(f"{name:28} weights {of_w:3.0%} off, outputs {off(q, w, test):4.1%}")
