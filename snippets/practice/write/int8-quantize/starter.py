import torch
from torch import Tensor


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Symmetric INT8 quantization with one scale per row (output channel).

    Args:
        weight: (out, in), float32, float16 or bfloat16. Not changed.

    Returns:
        q: (out, in) int8, from -127 to 127, so that weight is about q * scale.
            Each value is rounded to the nearest; ties may go either way.
        scale: (out, 1) float32, max |w| of the row / 127, and 1 for a row of zeros.
    """
    raise NotImplementedError
