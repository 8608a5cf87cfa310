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
    p = F.softmax(teacher.detach() / temperature, dim=1)
    soft = F.kl_div(log_q, p, reduction="sum") / len(student)
    hard = F.cross_entropy(student, targets)
    return alpha * temperature**2 * soft + (1 - alpha) * hard
