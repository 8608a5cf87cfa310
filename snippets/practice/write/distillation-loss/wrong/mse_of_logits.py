"""The squared difference of the logits is another loss; it is like the KL only
for large temperatures and centered logits.
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
    soft = F.mse_loss(student, teacher.detach()) / temperature**2
    hard = F.cross_entropy(student, targets)
    return alpha * temperature**2 * soft + (1 - alpha) * hard
