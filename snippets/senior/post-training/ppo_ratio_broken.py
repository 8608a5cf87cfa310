import torch


def ratios(start: list[float], steps: int, rate: float = 0.5) -> list[float]:
    """P(first token) / its old value per prompt, after steps on one rollout.

    All prompts sampled the first of two tokens, with advantage 1, and share a
    bias on it, as prompts of a language model share weights.
    """
    old = torch.tensor(start, dtype=torch.double)
    bias = torch.zeros((), dtype=torch.double, requires_grad=True)
    for _ in range(steps):
        ratio = (old.logit() + bias).sigmoid() / old
        loss = -torch.minimum(ratio, ratio.clamp(0.8, 1.2)).mean()
        (gradient,) = torch.autograd.grad(loss, bias)
        bias = (bias - rate * gradient).detach().requires_grad_()
    return ((old.logit() + bias).sigmoid() / old).tolist()


if __name__ == "__main__":
    for steps in (1, 10, 50):
        (alone,) = ratios([0.1], steps)
        first, second = ratios([0.1, 0.8], steps)
        print(f"{steps:2} steps  alone {alone:.2f}", end="")
        print(f"  with another prompt {first:.2f} and {second:.2f}")
