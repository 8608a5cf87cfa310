# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F


def train(features, likelihood: float = 0.0, steps: int = 101, beta: float = 0.1):
    """Probabilities of all answers before each step; the pair is rows 0 and 1.

    ``likelihood`` is the weight of the chosen answer's negative log-likelihood.
    """
    weight = torch.zeros(features.shape[1], dtype=torch.double, requires_grad=True)
    ref = (features @ weight).log_softmax(0).detach()
    curve = []
    for _ in range(steps):
        log_p = (features @ weight).log_softmax(0)
        curve.append(log_p.detach().exp())
        reward = beta * (log_p - ref)
        loss = -F.logsigmoid(reward[0] - reward[1]) - likelihood * log_p[0]
        (gradient,) = torch.autograd.grad(loss, weight)
        weight = (weight - 0.5 * gradient).detach().requires_grad_()
    return torch.stack(curve)


SHARED = torch.tensor([[1, 0], [1, -1], [1, 2], [0, 0]]).double()

if __name__ == "__main__":
    plain = train(SHARED)
    for name, curve in (
        ("shared features", plain),
        ("one logit per answer", train(torch.eye(4).double())),
        ("shared, plus 0.1 likelihood", train(SHARED, likelihood=0.1)),
    ):
        print(f"{name:27}", *(f"{p:.2f}" for p in curve[-1]))
    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    for k, style in enumerate(("-", "--", ":")):
        label = ("chosen", "rejected", "in no pair")[k]
        axes.plot(plain[:, k], style, label=label)
    axes.set(xlabel="step", ylabel="probability")
    axes.legend()
    plt.show()
