import torch
from torch import Tensor


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
    with torch.no_grad():
        gae = torch.zeros_like(rewards)
        for b in range(rewards.shape[0]):
            n, running, ahead = int(mask[b].sum()), 0.0, last_values[b]
            for t in range(n - 1, -1, -1):
                delta = rewards[b, t] + gamma * ahead - old_values[b, t]
                running = delta + gamma * lam * running
                gae[b, t], ahead = running, old_values[b, t]
        target = (gae + old_values)[mask]
        gae = gae[mask]
        advantage = (gae - gae.mean()) / (gae.std(correction=0) + 1e-4)
        old = old_log_p[mask]
    ratio = (log_p[mask] - old).exp()
    loss = torch.maximum(
        -advantage * ratio, -advantage * ratio.clamp(1 - clip, 1 + clip)
    )
    return (loss + value_coef * (values[mask] - target) ** 2).mean()
