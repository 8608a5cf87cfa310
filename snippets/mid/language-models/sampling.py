import torch
from torch import Tensor


def top_p(logits: Tensor, p: float) -> int:
    """How many tokens the smallest set with probability p has."""
    probs = logits.softmax(dim=-1).sort(descending=True).values
    return int((probs.cumsum(dim=-1) - probs < p).sum())


def min_p(logits: Tensor, share: float) -> int:
    """How many tokens have at least this share of the best one's probability."""
    return int((logits >= logits.max() + torch.tensor(share).log()).sum())


if __name__ == "__main__":
    torch.manual_seed(0)
    logits = 2 * torch.randn(50_000, dtype=torch.float64)
    logits[:2] = torch.tensor([16.0, 14.0])  # two good tokens, then a long tail
    for T in (0.5, 1.0, 1.5, 2.0, 3.0):
        tail = 1 - (logits / T).softmax(dim=-1)[:2].sum()
        p, m = top_p(logits / T, 0.9), min_p(logits / T, 0.1)
        print(
            f"T {T}: tail {tail:4.0%}, top-p 0.9 keeps {p:6,}, min-p 0.1 keeps {m}"
        )
    print(f"top-p first, then T 2.0: {top_p(logits, 0.9):,}")
