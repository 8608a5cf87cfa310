import torch.nn.functional as F
from torch import Tensor


def reward_model_loss(
    hidden: Tensor, head: Tensor, mask: Tensor, center: float = 0.01
) -> tuple[Tensor, Tensor]:
    # The first token from behind is the last one.
    behind = mask.flip(1).int().argmax(dim=1)
    last = mask.shape[1] - 1 - behind
    at_last = hidden.gather(
        1, last[:, None, None].expand(-1, 1, hidden.shape[-1])
    ).squeeze(1)
    reward = (at_last.double() * head.double()).sum(dim=-1)
    good, bad = reward.view(2, -1)
    loss = F.softplus(bad - good) + center * (good + bad) ** 2
    accuracy = ((good.detach() - bad.detach()).sign() + 1).mean() / 2
    return loss.mean(), accuracy
