"""This is the cross-entropy with soft targets: it has the same gradient as the
KL, and it is larger by the teacher's entropy.
"""

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
    soft = -(log_p.exp() * log_q).sum(dim=1).mean()
    hard = F.cross_entropy(student, targets)
    return alpha * temperature**2 * soft + (1 - alpha) * hard
