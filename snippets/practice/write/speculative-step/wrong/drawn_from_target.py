"""After a rejection the token is drawn from the target itself, which serves the
accepted mass twice."""

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
            return [*accepted, draw(p)]
        accepted.append(token)
    return [*accepted, draw(target_probs[len(accepted)])]
