"""Classes below a probability of 1e-6 are left out, even where the student gives
them far less."""

import torch
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
    p = log_p.exp()
    each = torch.where(p > 1e-6, p * (log_p - log_q), 0.0)
    soft = each.sum(dim=1).mean()
    hard = F.cross_entropy(student, targets)
    return alpha * temperature**2 * soft + (1 - alpha) * hard
