"""Every draft token is accepted, so the output follows the draft model."""

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
    for token in draft.tolist():
        accepted.append(token)
    return [*accepted, draw(target_probs[len(accepted)])]
