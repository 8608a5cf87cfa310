# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

BASE = 64


def train(width: int, rate: float, mup: bool, seed: int, task: int = 3) -> float:
    """Loss after ten steps of Adam on the 128 examples of a task."""
    generator = torch.Generator().manual_seed(task)

    def draw(*size):
        return torch.randn(size, generator=generator, dtype=torch.double)

    x = draw(128, 16)
    y = ((1.5 * x).sin() @ draw(16, 10)).argmax(1)
    generator.manual_seed(seed)
    shrink = BASE / width if mup else 1.0
    start = width**-0.5 * shrink**0.5
    weights = [draw(width, 16) / 4, draw(width, width) * (2 / width) ** 0.5]
    weights.append(draw(10, width) * start)
    rates = [rate, rate * shrink, rate * shrink]
    state = [[torch.zeros_like(w), torch.zeros_like(w)] for w in weights]

    def loss_of(weights):
        hidden = ((x @ weights[0].T).relu() @ weights[1].T).relu()
        return F.cross_entropy(hidden @ weights[2].T, y)

    for t in range(1, 11):
        for w in weights:
            w.requires_grad_()
        gradients = torch.autograd.grad(loss_of(weights), weights)
        for i, g in enumerate(gradients):
            m, v = state[i]
            m.lerp_(g, 0.1)
            v.lerp_(g * g, 0.001)
            root = (v / (1 - 0.999**t)).sqrt() + 1e-8
            weights[i] = weights[i].detach() - rates[i] * m / (1 - 0.9**t) / root
    return loss_of(weights).item()


if __name__ == "__main__":
    exponents = range(-9, -2)
    print("log2 of the rate", *(f"{e:6}" for e in exponents), "  best")
    curves = {}
    for name, width, mup in (
        ("width 64", 64, False),
        ("width 256, standard", 256, False),
        ("width 256, muP", 256, True),
    ):
        curve = []
        for e in exponents:
            runs = [train(width, 2.0**e, mup, seed) for seed in range(3)]
            curve.append(sum(runs) / len(runs))
        curves[name] = curve
        best = exponents[curve.index(min(curve))]
        print(f"{name:20}", *(f"{loss:5.2f} " for loss in curve), f"{best:3}")

    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    for (name, curve), style in zip(curves.items(), ("o-", "s--", "^:")):
        axes.plot(exponents, curve, style, label=name)
    axes.set(xlabel="log2 of the learning rate", ylabel="loss after 10 steps")
    axes.legend()
    plt.show()
