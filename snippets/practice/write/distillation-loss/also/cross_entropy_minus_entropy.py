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
    with torch.no_grad():
        p = (teacher / temperature).softmax(dim=-1)
        entropy = -torch.xlogy(p, p).sum(dim=-1).mean()
    soft = F.cross_entropy(student / temperature, p) - entropy
    hard = F.nll_loss(F.log_softmax(student, dim=-1), targets)
    return hard + alpha * (temperature * temperature * soft - hard)
