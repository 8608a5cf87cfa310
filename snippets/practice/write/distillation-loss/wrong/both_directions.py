"""The mean of both directions is not the KL of the teacher to the student."""

import torch.nn.functional as F
from torch import Tensor


def distillation_loss(
    student: Tensor,
    teacher: Tensor,
    targets: Tensor,
    temperature: float = 2.0,
    alpha: float = 0.5,
) -> Tensor:
    log_q = F.log_softmax(student / temperature, dim=1)
    log_p = F.log_softmax(teacher.detach() / temperature, dim=1)
    soft = F.kl_div(log_q, log_p, reduction="batchmean", log_target=True)
    back = F.kl_div(log_p, log_q, reduction="batchmean", log_target=True)
    soft = (soft + back) / 2
    hard = F.cross_entropy(student, targets)
    return alpha * temperature**2 * soft + (1 - alpha) * hard
