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
    soft = (log_p.exp() * (log_p - log_q)).sum(dim=1).mean()
    log_s = student.log_softmax(dim=1)
    hard = -log_s.gather(1, targets[:, None]).mean()
    return alpha * temperature**2 * soft + (1 - alpha) * hard
