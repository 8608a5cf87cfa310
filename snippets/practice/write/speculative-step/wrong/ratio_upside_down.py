"""The ratio is upside down: a token is accepted with q / p instead of p / q."""

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
        if u[i] * p[token] >= q[token]:
            rest = (p - q).clamp(min=0.0)
            return [*accepted, draw(rest / rest.sum())]
        accepted.append(token)
    return [*accepted, draw(target_probs[len(accepted)])]
