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
    k = draft.numel()
    place = torch.arange(k, device=draft.device)
    ratio = target_probs[place, draft] / draft_probs[place, draft]
    rejected = (u > torch.clamp(ratio, max=1.0)).nonzero().flatten().tolist()
    n = rejected[0] if rejected else k
    probs = target_probs[n]
    if n < k:
        probs = torch.relu(probs - draft_probs[n])
        probs = probs / probs.sum()
    return draft[:n].tolist() + [draw(probs)]
