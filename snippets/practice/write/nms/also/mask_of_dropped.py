import torch


def box_iou(a, b):
    ax1, ay1, ax2, ay2 = (value[:, None] for value in a.unbind(1))
    bx1, by1, bx2, by2 = b.unbind(1)
    width = torch.relu(torch.min(ax2, bx2) - torch.max(ax1, bx1))
    height = torch.relu(torch.min(ay2, by2) - torch.max(ay1, by1))
    inter = width * height
    union = (ax2 - ax1) * (ay2 - ay1) + (bx2 - bx1) * (by2 - by1) - inter
    return inter / union.clamp(min=torch.finfo(a.dtype).tiny)


def nms(boxes, scores, threshold):
    over = box_iou(boxes, boxes) >= threshold
    dropped = torch.zeros(len(boxes), dtype=torch.bool, device=boxes.device)
    keep = []
    for i in torch.argsort(-scores).tolist():
        if not dropped[i]:
            keep.append(i)
            dropped |= over[i]
    return torch.tensor(keep, dtype=torch.long, device=boxes.device)
