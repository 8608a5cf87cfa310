import torch
import torch.nn.functional as F
from torch import Tensor


def reward_model_loss(
    hidden: Tensor, head: Tensor, mask: Tensor, center: float = 0.01
) -> tuple[Tensor, Tensor]:
    at = torch.arange(mask.shape[1], device=mask.device)
    last = (mask * at).argmax(dim=1)  # (2B,)
    rows = torch.arange(len(hidden), device=hidden.device)
    reward = hidden[rows, last].float() @ head.float()  # (2B,)
    chosen, rejected = reward.chunk(2)
    margin = chosen - rejected
    loss = -F.logsigmoid(margin) + center * (chosen + rejected).square()
    with torch.no_grad():
        accuracy = ((margin > 0).float() + 0.5 * (margin == 0).float()).mean()
    return loss.mean(), accuracy
