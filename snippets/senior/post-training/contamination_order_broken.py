# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

TOKENS = 32


def triples(streams: torch.Tensor) -> torch.Tensor:
    """Numbers of the three-token windows of (N, T) streams."""
    first, second, third = streams[:, :-2], streams[:, 1:-1], streams[:, 2:]
    return (first * TOKENS + second) * TOKENS + third


def train(stream: torch.Tensor, smooth: float = 0.05) -> torch.Tensor:
    """Log-probability of each third token after two, from one long stream."""
    counts = triples(stream[None]).flatten().bincount(minlength=TOKENS**3)
    counts = counts.view(-1, TOKENS).double() + smooth
    return (counts / counts.sum(1, keepdim=True)).log().flatten()


def order_test(log_p, questions, shuffles: int = 199):
    """Log-likelihood in the published order, in shuffled orders, and a p."""
    published = log_p[triples(questions.flatten()[None])].sum()
    orders = [
        questions[torch.randperm(len(questions))].flatten() for _ in range(shuffles)
    ]
    shuffled = log_p[triples(torch.stack(orders))].sum(1)
    at_least = (shuffled > published - 1e-6).sum().item()
    p = (1 + at_least) / (1 + shuffles)
    return published.item(), shuffled, p


def models(seed: int = 0, number: int = 24, length: int = 6):
    torch.manual_seed(seed)
    questions = torch.randint(TOKENS, (number, length))
    text = torch.randint(TOKENS, (30_000,))
    mixed = questions[torch.randperm(number)]
    seen = {"no question": text[:0], "the file": questions.flatten()}
    seen["a shuffled copy"] = mixed.flatten()
    return questions, {k: train(torch.cat([text, v])) for k, v in seen.items()}


if __name__ == "__main__":
    questions, trained = models()
    figure, axes = plt.subplots(
        3, figsize=(5, 4), sharex=True, layout="constrained"
    )
    for panel, (name, log_p) in zip(axes, trained.items(), strict=True):
        published, shuffled, p = order_test(log_p, questions)
        print(f"saw {name:16} log-likelihood {published:5.0f}, p = {p:.3f}")
        panel.hist(shuffled.tolist(), bins=20, color="C0")
        panel.axvline(published, color="C1", linestyle="--")
        panel.set(ylabel="shuffles", title=f"saw {name}")
    axes[-1].set(xlabel="log-likelihood of the questions in an order")
    plt.show()
