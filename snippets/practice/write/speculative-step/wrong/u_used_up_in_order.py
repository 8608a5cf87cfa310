"""A number is taken only where p is below q, so a later place is decided by the
number of an earlier one."""

from collections.abc import Callable

from torch import Tensor


def verify_draft(
    draft: Tensor,
    draft_probs: Tensor,
    target_probs: Tensor,
    u: Tensor,
    draw: Callable[[Tensor], int],
) -> list[int]:
    accepted, numbers = [], iter(u.tolist())
    for i, token in enumerate(draft.tolist()):
        p, q = target_probs[i], draft_probs[i]
        ratio = float(p[token] / q[token])
        if ratio < 1 and next(numbers) >= ratio:
            rest = (p - q).clamp(min=0.0)
            return [*accepted, draw(rest / rest.sum())]
        accepted.append(token)
    return [*accepted, draw(target_probs[len(accepted)])]
