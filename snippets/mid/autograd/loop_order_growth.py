# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def growth(
    signal: float,
    noise: float,
    repeat: bool,
    batches: int = 10,
    problems: int = 100,
) -> list[float]:
    """Size of the summed gradient after 1, 2, ... batches, over that of one batch.

    The gradient is that of the mean squared error of a linear model at weight 0,
    its norm a mean over random problems.
    """
    torch.manual_seed(0)
    total = torch.zeros(batches)
    single = 0.0
    for _ in range(problems):
        truth = signal * torch.randn(16, 1)
        w = torch.zeros(16, 1, requires_grad=True)
        x = torch.randn(batches, 32, 16)
        if repeat:
            x = x[:1].expand(batches, 32, 16)
        y = x @ truth + noise * torch.randn(batches, 32, 1)
        for i in range(batches):
            before = 0 if w.grad is None else w.grad.clone()
            (x[i] @ w - y[i]).square().mean().backward()
            single += (w.grad - before).norm().item() / batches
            total[i] += w.grad.norm().item()
    return (total / single).tolist()


SETTINGS = {
    "one batch, repeated": (1.0, 0.0, True),
    "new batches, clear signal": (1.0, 0.0, False),
    "new batches, labels are noise": (0.0, 1.0, False),
}

if __name__ == "__main__":
    steps = range(1, 11)
    for (name, setting), style in zip(SETTINGS.items(), ("o-", "s-", "^-")):
        ratios = growth(*setting)
        print(f"{name:30} after 10 batches: {ratios[-1]:.1f}x")
        plt.plot(steps, ratios, style, label=name)
    plt.plot(steps, [n**0.5 for n in steps], ":", label="square root of batches")
    plt.xlabel("batches without zero_grad()")
    plt.ylabel("norm of .grad (one batch = 1)")
    plt.legend()
    plt.show()
