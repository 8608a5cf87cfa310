"""A small number is added to the sum, so what draw is given does not sum to one
where the draft is nearly the target."""

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
            rest = (p - q).clamp(min=0.0)
            return [*accepted, draw(rest / (rest.sum() + 1e-8))]
        accepted.append(token)
    return [*accepted, draw(target_probs[len(accepted)])]
