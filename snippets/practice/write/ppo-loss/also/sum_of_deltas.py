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
    T = rewards.shape[1]
    at = torch.arange(T, device=rewards.device)
    last = mask.sum(dim=1, keepdim=True) - 1
    v = old_values.detach()
    ahead = torch.cat([v[:, 1:], v[:, :1]], dim=1)
    ahead = torch.where(at == last, last_values.detach()[:, None], ahead)
    delta = (rewards.detach() + gamma * ahead - v).masked_fill(~mask, 0.0)
    # Row s, column t: what the delta of token s adds to the advantage of token t.
    steps = at[:, None] - at
    weight = torch.where(steps >= 0, (gamma * lam) ** steps.clamp(min=0), 0.0)
    gae = delta @ weight.to(delta.dtype)
    n = mask.sum()
    center = (gae * mask).sum() / n
    std = (((gae - center) * mask).square().sum() / n).sqrt()
    a = (gae - center) / (std + 1e-4)
    ratio = torch.exp(log_p - old_log_p.detach())
    surrogate = torch.where(
        a >= 0,
        torch.clamp(ratio, max=1 + clip) * a,
        torch.clamp(ratio, min=1 - clip) * a,
    )
    error = (values - (gae + v)) ** 2
    return torch.where(mask, value_coef * error - surrogate, 0.0).sum() / n
