import torch
from torch import Tensor


def box_iou(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of all pairs of boxes, without a Python loop.

    Args:
        a: boxes (N, 4) as x1, y1, x2, y2, with x1 <= x2 and y1 <= y2, float32 or
            float64. The area of a box is (x2 - x1) * (y2 - y1). N may be 0.
        b: boxes (M, 4), dtype and device of a. M may be 0.

    Returns:
        (N, M), dtype and device of a; 0 where the union has no area.
    """
    raise NotImplementedError


def nms(boxes: Tensor, scores: Tensor, threshold: float) -> Tensor:
    """Non-maximum suppression: which boxes are kept.

    A box is dropped if its IoU with a better box that is kept is above threshold.

    Args:
        boxes: (N, 4), as those of box_iou. N may be 0.
        scores: (N,), larger is better, in no order.
        threshold: from 0 to 1.

    Returns:
        The indices (K,) int64 of the kept boxes, the best one first, on the device
        of boxes. Left open: equal scores, and an IoU that equals threshold.
    """
    raise NotImplementedError
