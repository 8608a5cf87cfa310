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
    centered = rewards.detach() - rewards.detach().mean(-1, keepdim=True)
    variance = centered.square().sum(-1, keepdim=True) / (rewards.shape[-1] - 1)
    advantage = centered / (variance.sqrt() + 1e-4)
    weight = mask / mask.sum(-1, keepdim=True)  # sums to 1 in each answer
    change = (log_p - old_log_p.detach()).masked_fill(~mask, 0.0)
    gap = (ref_log_p.detach() - log_p).masked_fill(~mask, 0.0)
    kl = torch.expm1(gap) - gap
    surrogate = torch.where(
        advantage[..., None] >= 0,
        change.exp().clamp(max=1 + clip),
        change.exp().clamp(min=1 - clip),
    )
    objective = surrogate * advantage.unsqueeze(-1) - beta * kl
    return -(objective * weight).sum(-1).mean()
