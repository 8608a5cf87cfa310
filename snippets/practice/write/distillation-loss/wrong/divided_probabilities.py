"""A class to which the teacher gives probability 0 becomes 0 * log(0), which is
NaN.
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
    q = F.softmax(student / temperature, dim=1)
    p = F.softmax(teacher.detach() / temperature, dim=1)
    soft = (p * (p / q).log()).sum(dim=1).mean()
    hard = F.cross_entropy(student, targets)
    return alpha * temperature**2 * soft + (1 - alpha) * hard
