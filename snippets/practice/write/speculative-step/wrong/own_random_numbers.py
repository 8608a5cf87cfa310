"""It draws random numbers of its own instead of using u."""

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
    accepted = []
    for i, token in enumerate(draft.tolist()):
        p, q = target_probs[i], draft_probs[i]
        if torch.rand(()) * q[token] >= p[token]:
            rest = (p - q).clamp(min=0.0)
            return [*accepted, draw(rest / rest.sum())]
        accepted.append(token)
    return [*accepted, draw(target_probs[len(accepted)])]
