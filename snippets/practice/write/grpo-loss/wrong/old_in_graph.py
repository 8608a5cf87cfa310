"""The gradient reaches the old log-probabilities and the reference's."""

import torch
from torch import Tensor


def grpo_loss(
    log_p: Tensor,
    old_log_p: Tensor,
    ref_log_p: Tensor,
    rewards: Tensor,
    mask: Tensor,
    clip: float = 0.2,
    beta: float = 0.04,
) -> Tensor:
    with torch.no_grad():
        mean = rewards.mean(dim=1, keepdim=True)
        std = rewards.std(dim=1, keepdim=True)
        advantage = ((rewards - mean) / (std + 1e-4))[..., None]  # (P, G, 1)
    ratio = (log_p - old_log_p).exp()
    clipped = ratio.clamp(1 - clip, 1 + clip)
    gap = ref_log_p - log_p
    kl = gap.exp() - gap - 1
    token = torch.minimum(ratio * advantage, clipped * advantage) - beta * kl
    token = token.masked_fill(~mask, 0.0)
    return -(token.sum(dim=-1) / mask.sum(dim=-1)).mean()
