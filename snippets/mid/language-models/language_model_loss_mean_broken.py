from math import exp, log

import torch
from torch.nn.functional import cross_entropy


def answer(length, loss):
    """Logits (length, 2) and labels whose loss is `loss` at every token."""
    logits = torch.tensor([0.0, log(exp(loss) - 1)], dtype=torch.float64)
    return logits.repeat(length, 1), torch.zeros(length, dtype=torch.long)


short, long = answer(2, 4.0), answer(98, 1.0)
means = [cross_entropy(*part) for part in (short, long)]
sums = [cross_entropy(*part, reduction="sum") for part in (short, long)]
for name, loss in (
    ("mean of the means of two answers", sum(means) / 2),
    ("sum of losses by number of tokens", sum(sums) / 100),
):
    print(f"{name:33} {loss:.2f}, perplexity {loss.exp():.1f}")

logits = torch.zeros(3, 2, requires_grad=True)
loss = cross_entropy(logits, torch.full((3,), -100))  # every label is ignored
loss.backward()
print(
    f"mean over no label {loss.item()}, gradient {logits.grad.abs().max().item()}"
)
