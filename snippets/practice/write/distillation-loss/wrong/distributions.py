"""The KL of torch.distributions is infinite where a probability of the student has
rounded to 0."""

import torch.nn.functional as F
from torch import Tensor
from torch.distributions import Categorical, kl_divergence


def distillation_loss(
    student: Tensor,
    teacher: Tensor,
    targets: Tensor,
    temperature: float = 2.0,
    alpha: float = 0.5,
) -> Tensor:
    q = Categorical(logits=student / temperature)
    p = Categorical(logits=teacher.detach() / temperature)
    soft = kl_divergence(p, q).mean()
    hard = F.cross_entropy(student, targets)
    return alpha * temperature**2 * soft + (1 - alpha) * hard
