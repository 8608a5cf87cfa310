import heapq
from itertools import count

import torch

losses, arrivals = torch.tensor([0.1, 0.4, 0.2, 0.9]), count()
views, numbers = [], []
for loss in losses:
    heapq.heappush(views, (loss, next(arrivals)))
    heapq.heappush(numbers, (loss.item(), next(arrivals)))
losses.copy_(torch.tensor([0.8, 0.3, 0.7, 0.5]))  # the losses of the next epoch
for name, heap in (("views", views), ("numbers", numbers)):
    print(f"{name:7}", [round(float(heapq.heappop(heap)[0]), 1) for _ in range(4)])
