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
    """Hinton's distillation: soft targets of a teacher, and hard labels.

    Args:
        student: (N, V) logits, float32 or float64, finite and of any size.
        teacher: (N, V) logits, as above. No gradient may reach them.
        targets: (N,) int64, from 0 to V - 1.
        temperature: T > 0. In the soft term, both models' logits are divided by it.
        alpha: the weight of the soft term, from 0 to 1.

    Returns:
        0-dim: alpha * T**2 * KL(teacher || student) + (1 - alpha) * CE, where KL is
        summed over V and averaged over N, and CE is the mean cross-entropy of the
        student's logits and the targets, without a temperature.
    """
    raise NotImplementedError
