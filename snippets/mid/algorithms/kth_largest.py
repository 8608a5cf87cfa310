import heapq
import random

import torch


def quickselect(values, k):
    pivot = random.choice(values)
    larger = [value for value in values if value > pivot]
    if k <= len(larger):
        return quickselect(larger, k)
    k -= len(larger) + values.count(pivot)
    if k <= 0:
        return pivot
    return quickselect([v for v in values if v < pivot], k)


x, k = torch.tensor([3.0, 1.0, 5.0, 5.0, 2.0]), 2
n = len(x)
print("topk               ", x.topk(k).values[-1].item())
print("kthvalue(n - k + 1)", x.kthvalue(n - k + 1).values.item())
print("kthvalue(k)        ", x.kthvalue(k).values.item())
print("heap of k          ", heapq.nlargest(k, x.tolist())[-1])
print("quickselect        ", quickselect(x.tolist(), k))
