"""A box is compared with the last kept box only, not with all that were kept."""

import torch
from torch import Tensor


def box_iou(a: Tensor, b: Tensor) -> Tensor:
    low = torch.maximum(a[:, None, :2], b[:, :2])  # (N, M, 2)
    high = torch.minimum(a[:, None, 2:], b[:, 2:])
    inter = (high - low).clamp(min=0).prod(dim=-1)
    area_a, area_b = ((box[:, 2:] - box[:, :2]).prod(dim=-1) for box in (a, b))
    union = area_a[:, None] + area_b - inter
    return inter / union.masked_fill(union == 0, 1)


def nms(boxes: Tensor, scores: Tensor, threshold: float) -> Tensor:
    order = scores.argsort(descending=True)
    kept = []
    for i in order.tolist():
        if not kept or box_iou(boxes[i][None], boxes[kept[-1]][None]) <= threshold:
            kept.append(i)
    return order.new_tensor(kept)
