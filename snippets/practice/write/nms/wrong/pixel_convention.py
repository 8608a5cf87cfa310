"""One is added to widths and heights, as for boxes of whole pixels. These
coordinates are continuous.
"""

import torch
from torch import Tensor


def box_iou(a: Tensor, b: Tensor) -> Tensor:
    low = torch.maximum(a[:, None, :2], b[:, :2])  # (N, M, 2)
    high = torch.minimum(a[:, None, 2:], b[:, 2:])
    inter = (high - low + 1).clamp(min=0).prod(dim=-1)
    area_a, area_b = ((box[:, 2:] - box[:, :2] + 1).prod(dim=-1) for box in (a, b))
    union = area_a[:, None] + area_b - inter
    return inter / union.masked_fill(union == 0, 1)


def nms(boxes: Tensor, scores: Tensor, threshold: float) -> Tensor:
    order = scores.argsort(descending=True)
    kept = []
    while len(order):
        best, order = order[0], order[1:]
        kept.append(int(best))
        overlap = box_iou(boxes[best][None], boxes[order])[0]
        order = order[overlap <= threshold]
    return order.new_tensor(kept)
