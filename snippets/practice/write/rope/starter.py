import torch
from torch import Tensor


def apply_rope(
    x: Tensor, positions: Tensor, theta: float = 10000.0, interleaved: bool = False
) -> Tensor:
    """Rotary position embeddings: rotate pairs of channels by the position.

    Pair i of a token at position p is rotated by the angle p * theta ** (-2i / D):
    (a, b) becomes (a cos - b sin, a sin + b cos). Each result is where its
    input was. Angles are computed in float32 or better, whatever the dtype of x.

    Args:
        x: (B, H, T, D), any float dtype, D even.
        positions: (T,) or (B, T) int64, the position of each token. They come in
            any order, need not begin at 0, and there is no largest one.
        theta: the base of the frequencies.
        interleaved: if False, pair i is (x[..., i], x[..., i + D/2]). If True, it
            is (x[..., 2i], x[..., 2i + 1]).

    Returns:
        (B, H, T, D), dtype and device of x. Gradients reach x.
    """
    raise NotImplementedError
