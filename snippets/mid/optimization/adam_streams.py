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
    noise = torch.randn(steps, 5, generator=torch.Generator().manual_seed(0))
    streams = {
        "always 1000": torch.full((steps, 1), 1000.0),
        "always 0.001": torch.full((steps, 1), 0.001),
        "1 + noise": 1 + noise[:, :1],
        "noise, five times": noise,
        "1, -1, 1, -1": ((-1.0) ** torch.arange(steps))[:, None],
    }
    looks = (("C0", "-"), ("C1", ":"), ("C2", "-"), ("C3", "--"), ("C4", "-."))
    for (name, gradients), (color, style) in zip(streams.items(), looks):
        distance = travel(gradients)
        furthest = distance[-1].abs().max()
        print(f"{name:18} moved by {furthest:5.1f} rates at most in {steps} steps")
        width = 3 if style == ":" else 1
        lines = plt.plot(distance, style, color=color, linewidth=width)
        lines[0].set_label(name)
    plt.xlabel("step")
    plt.ylabel("distance moved, in learning rates")
    plt.legend(title="gradients")
    plt.show()
