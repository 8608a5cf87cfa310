"""The first argument of kl_div has to be log-probabilities, and here both are
probabilities.
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
    soft = F.kl_div(q, p, reduction="batchmean")
    hard = F.cross_entropy(student, targets)
    return alpha * temperature**2 * soft + (1 - alpha) * hard
