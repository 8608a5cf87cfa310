import torch


def moe(x: torch.Tensor, k: int = 1, factor: float = 1.25) -> torch.Tensor:
    """Expert e of four multiplies by e + 1, and takes ``capacity`` tokens."""
    probabilities = (x @ ROUTER).softmax(-1)
    top, chosen = probabilities.topk(k)
    capacity = int(factor * k * len(x) / 4)
    y = torch.zeros_like(x)
    for e in range(4):
        token, slot = torch.where(chosen == e)
        token, slot = token[:capacity], slot[:capacity]  # the rest is dropped
        y[token] += top[token, slot, None] * (e + 1) * x[token]
    return y


ROUTER = 100 * torch.eye(4)
mixed = torch.eye(4).repeat(4, 1)  # 16 tokens for experts 0, 1, 2, 3, 0, 1, ...
alike = torch.eye(4)[3:].repeat(16, 1)  # the same last token, and 15 like it
print("last token, mixed neighbors:", moe(mixed)[-1])
print("last token, alike neighbors:", moe(alike)[-1])
