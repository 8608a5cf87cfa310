import torch
from torch import Tensor


def reward_model_loss(
    hidden: Tensor, head: Tensor, mask: Tensor, center: float = 0.01
) -> tuple[Tensor, Tensor]:
    every = hidden.float() @ head.float()  # (2B, T): a reward at each token
    behind = mask.flip(1).cumsum(dim=1).flip(1)  # tokens from here to the end
    reward = torch.where(mask & (behind == 1), every, 0.0).sum(dim=1)
    B = len(reward) // 2
    chosen, rejected = reward[:B], reward[B:]
    log_p = torch.stack([chosen, rejected]).log_softmax(dim=0)[0]
    loss = (center * (chosen + rejected) ** 2 - log_p).mean()
    higher = (chosen > rejected).float().mean()
    equal = (chosen == rejected).float().mean()
    return loss, higher + equal / 2
