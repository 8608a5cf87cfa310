from collections.abc import Iterable

import torch
from torch import Tensor


def clip_grad_norm(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
    """Clip gradients by their global norm.

    Args:
        parameters: may be a generator. Some gradients may be None. All others
            count, also those of frozen parameters. They are finite, and of any
            strides and any float dtype, also float16.
        max_norm: positive.

    Effect:
        If the L2 norm of all gradients, taken as one vector, is above max_norm,
        every gradient is multiplied by max_norm / norm (an eps of 1e-6 there is
        fine). Else all stay as they are, to the last bit.

    Returns:
        The norm before clipping, a 0-dim tensor; 0 if there is no gradient.
    """
    raise NotImplementedError
