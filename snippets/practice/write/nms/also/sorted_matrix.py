import torch


def area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(a, b):
    n, m = len(a), len(b)
    left = a.unsqueeze(1).expand(n, m, 4)
    right = b.unsqueeze(0).expand(n, m, 4)
    sides = torch.minimum(left[..., 2:], right[..., 2:]) - torch.maximum(
        left[..., :2], right[..., :2]
    )
    inter = torch.where((sides > 0).all(-1), sides[..., 0] * sides[..., 1], 0)
    union = area(a).unsqueeze(1) + area(b).unsqueeze(0) - inter
    return torch.nan_to_num(inter / union, nan=0.0)


def nms(boxes, scores, threshold):
    _, order = scores.sort(descending=True)
    iou = box_iou(boxes[order], boxes[order])
    alive = torch.ones_like(order, dtype=torch.bool)
    for i in range(len(order)):
        if alive[i]:
            alive[i + 1 :] &= iou[i, i + 1 :] <= threshold
    return order[alive]
