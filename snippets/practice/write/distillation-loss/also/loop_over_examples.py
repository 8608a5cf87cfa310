import torch
from torch import Tensor


def distillation_loss(
    student: Tensor,
    teacher: Tensor,
    targets: Tensor,
    temperature: float = 2.0,
    alpha: float = 0.5,
) -> Tensor:
    total = 0.0
    for s, t, y in zip(student, teacher.detach(), targets):
        q, p = s / temperature, t / temperature
        q, p = q - q.logsumexp(0), p - p.logsumexp(0)
        kl = torch.dot(p.exp(), p - q)
        ce = s.logsumexp(0) - s.gather(0, y[None])[0]
        total = total + alpha * temperature**2 * kl + (1 - alpha) * ce
    return total / len(targets)
