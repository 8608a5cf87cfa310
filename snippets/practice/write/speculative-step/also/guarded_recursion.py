from collections.abc import Callable

from torch import Tensor


def verify_draft(
    draft: Tensor,
    draft_probs: Tensor,
    target_probs: Tensor,
    u: Tensor,
    draw: Callable[[Tensor], int],
) -> list[int]:
    if len(draft) == 0:
        return [int(draw(target_probs[0]))]
    p, q = target_probs[0].double(), draft_probs[0].double()
    first = draft[0].item()
    if u[0] < p[first] / q[first]:
        return [first] + verify_draft(
            draft[1:], draft_probs[1:], target_probs[1:], u[1:], draw
        )
    rest = (p - q).where(p > q, 0.0)
    total = rest.sum()
    if total <= 0:  # by rounding
        return [int(draw(target_probs[0]))]
    return [int(draw((rest / total).to(target_probs.dtype)))]
