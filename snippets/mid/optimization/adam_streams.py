# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def travel(gradients: torch.Tensor, lr: float = 0.01) -> torch.Tensor:
    """How far Adam has moved a weight against each of its gradients' streams.

    Args:
        gradients: one stream per column, float32, shape (steps, K).

    Returns:
        Distance from the start in units of ``lr``, float32, shape (steps + 1, K).
    """
    w = torch.zeros(gradients.shape[1], requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=lr)
    distances = [torch.zeros_like(gradients[0])]
    for gradient in gradients:
        w.grad = gradient.clone()
        optimizer.step()
        distances.append(-w.detach() / lr)
    return torch.stack(distances)


if __name__ == "__main__":
    steps = 100
    noise = torch.randn(steps, generator=torch.Generator().manual_seed(0))
    streams = {
        "always 1000": torch.full((steps,), 1000.0),
        "always 0.001": torch.full((steps,), 0.001),
        "1 + noise of std 1": 1 + noise,
        "noise of std 1": noise - noise.mean(),
        "1, -1, 1, -1": (-1.0) ** torch.arange(steps),
    }
    distance = travel(torch.stack(list(streams.values()), dim=1))
    styles = ("-", ":", "-", "--", "-.")
    for (name, _), line, style in zip(streams.items(), distance.T, styles):
        print(f"{name:20} moved by {line[-1].abs():5.1f} lr in {steps} steps")
        plt.plot(line, style, label=name, linewidth=3 if style == ":" else 1.5)
    plt.xlabel("step")
    plt.ylabel("distance moved, in learning rates")
    plt.legend(title="gradients")
    plt.show()
