from math import log

import torch
from torch.nn.functional import cross_entropy, one_hot


def loss_sum(logits, tokens, counts):
    """Sum of losses and number of labels, of logits (B, T, V) and tokens (B, T).

    counts (B, T) is False for padding and for the prompt.
    """
    labels = tokens.masked_fill(~counts, -100)[:, 1:]  # position t predicts t + 1
    total = cross_entropy(
        logits[:, :-1].flatten(0, 1), labels.flatten(), reduction="sum"
    )
    return total, (labels != -100).sum()


if __name__ == "__main__":
    torch.manual_seed(0)
    tokens = torch.randint(10, (64, 33))  # pure noise: nobody can beat ln 10
    logits = 10.0 * one_hot(tokens, 10).double()  # a model that repeats its input
    total, count = loss_sum(logits, tokens, torch.ones_like(tokens).bool())
    print(f"ln 10 {log(10):.1f}, with the shift {total / count:.1f},", end=" ")
    print(f"without {cross_entropy(logits.flatten(0, 1), tokens.flatten()):.1f}")
