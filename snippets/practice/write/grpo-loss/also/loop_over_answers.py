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
    old_log_p, ref_log_p, rewards = (
        one.detach() for one in (old_log_p, ref_log_p, rewards)
    )
    answers = []
    for p, group in enumerate(rewards):
        scaled = (group - group.mean()) / (group.std() + 1e-4)
        for g in range(len(group)):
            new, old, ref = (
                one[p, g][mask[p, g]] for one in (log_p, old_log_p, ref_log_p)
            )
            ratio = torch.exp(new - old)
            plain = ratio * scaled[g]
            bounded = torch.clip(ratio, 1 - clip, 1 + clip) * scaled[g]
            kl = torch.exp(ref - new) - (ref - new) - 1
            answers.append((beta * kl - torch.min(plain, bounded)).mean())
    return torch.stack(answers).mean()
