"""The temperature is cut to a whole number, so 1.5 counts as 1."""

import torch.nn.functional as F
from torch import Tensor


def distillation_loss(
    student: Tensor,
    teacher: Tensor,
    targets: Tensor,
    temperature: float = 2.0,
    alpha: float = 0.5,
) -> Tensor:
    temperature = max(1, int(temperature))
    log_q = F.log_softmax(student / temperature, dim=1)
    log_p = F.log_softmax(teacher.detach() / temperature, dim=1)
    soft = F.kl_div(log_q, log_p, reduction="batchmean", log_target=True)
    hard = F.cross_entropy(student, targets)
    return alpha * temperature**2 * soft + (1 - alpha) * hard
