"""The softmax runs over the examples and not over the classes."""

import torch.nn.functional as F
from torch import Tensor


def distillation_loss(
    student: Tensor,
    teacher: Tensor,
    targets: Tensor,
    temperature: float = 2.0,
    alpha: float = 0.5,
) -> Tensor:
    log_q = F.log_softmax(student / temperature, dim=0)
    log_p = F.log_softmax(teacher.detach() / temperature, dim=0)
    soft = F.kl_div(log_q, log_p, reduction="batchmean", log_target=True)
    hard = F.cross_entropy(student, targets)
    return alpha * temperature**2 * soft + (1 - alpha) * hard
