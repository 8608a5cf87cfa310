import torch
from torch import Tensor


@torch.no_grad()
def advantages(
    values: Tensor,
    last_values: Tensor,
    rewards: Tensor,
    mask: Tensor,
    gamma: float,
    lam: float,
) -> Tensor:
    gae, next_value = torch.zeros_like(last_values), last_values
    found = []
    for t in reversed(range(rewards.shape[1])):
        delta = rewards[:, t] + gamma * next_value - values[:, t]
        gae = torch.where(mask[:, t], delta + gamma * lam * gae, gae)
        next_value = torch.where(mask[:, t], values[:, t], next_value)
        found.append(gae)
    return torch.stack(found[::-1], dim=1)  # (B, T)


def ppo_loss(
    log_p: Tensor,
    old_log_p: Tensor,
    values: Tensor,
    old_values: Tensor,
    last_values: Tensor,
    rewards: Tensor,
    mask: Tensor,
    gamma: float = 1.0,
    lam: float = 0.95,
    clip: float = 0.2,
    value_coef: float = 0.5,
) -> Tensor:
    def mean(x: Tensor) -> Tensor:
        return x.masked_fill(~mask, 0.0).sum() / mask.sum()

    with torch.no_grad():
        gae = advantages(old_values, last_values, rewards, mask, gamma, lam)
        target = gae + old_values
        centered = gae - mean(gae)
        advantage = centered / (mean(centered.square()).sqrt() + 1e-4)
    ratio = (log_p - old_log_p.detach()).exp()
    clipped = ratio.clamp(1 - clip, 1 + clip)
    policy = -torch.minimum(ratio * advantage, clipped * advantage)
    return mean(policy) + value_coef * mean((values - target).square())
