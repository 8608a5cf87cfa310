import torch
from torch import Tensor


def dropout(
    x: Tensor, p: float, training: bool, generator: torch.Generator | None = None
) -> Tensor:
    """Drop elements at random in training, so that nothing changes on average.

    Args:
        x: any shape, any float dtype. It is not changed.
        p: the probability with which an element is dropped, from 0 to 1.
        training: if it is false, the values of x are returned.
        generator: on the device of x; if given, the only source of randomness, so
            the global random state stays as it is. Else the global one is used.

    Returns:
        In training, each element is 0 with probability p, independently of all
        others, and else x / (1 - p), in the precision of x. Shape, dtype and device
        of x. Gradients pass through the elements that were kept, with the same
        factor.

    Raises:
        ValueError: p is below 0 or above 1.
    """
    raise NotImplementedError
