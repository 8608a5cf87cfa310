from collections.abc import Callable

import torch
from torch import Tensor


def verify_draft(
    draft: Tensor,
    draft_probs: Tensor,
    target_probs: Tensor,
    u: Tensor,
    draw: Callable[[Tensor], int],
) -> list[int]:
    # Behind the last place the draft has probability 0, so the rest is p itself.
    padded = torch.cat([draft_probs, torch.zeros_like(target_probs[:1])])
    tokens = [int(one) for one in draft]
    n = 0
    while n < len(tokens):
        x = tokens[n]
        if not float(u[n]) <= min(1.0, float(target_probs[n, x] / padded[n, x])):
            break
        n += 1
    rest = torch.maximum(target_probs[n] - padded[n], torch.zeros_like(padded[n]))
    tokens[n:] = [draw(rest / rest.sum())]
    return tokens
