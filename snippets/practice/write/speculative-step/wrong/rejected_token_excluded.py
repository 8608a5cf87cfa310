"""After a rejection the target without the rejected token is drawn from, and other
tokens get too much or too little."""

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
            rest = p.clone()
            rest[token] = 0.0
            return [*accepted, draw(rest / rest.sum())]
        accepted.append(token)
    return [*accepted, draw(target_probs[len(accepted)])]
