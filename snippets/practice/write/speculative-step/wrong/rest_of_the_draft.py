"""The rest is not the positive part of p - q, so what the draft has too much of is
drawn again."""

from collections.abc import Callable

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
        if u[i] * q[token] >= p[token]:
            rest = (q - p).clamp(min=0.0)
            return [*accepted, draw(rest / rest.sum())]
        accepted.append(token)
    return [*accepted, draw(target_probs[len(accepted)])]
