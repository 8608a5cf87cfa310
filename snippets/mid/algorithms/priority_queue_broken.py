import heapq

import torch

losses = torch.rand(1000, generator=torch.Generator().manual_seed(0))
heap = []
for loss in losses.tolist():
    heapq.heappush(heap, (loss, torch.ones(3)))
print("pushed", len(heap), "different losses")

smallest = heap[0][0]
try:
    heapq.heappush(heap, (smallest, torch.ones(3)))
except RuntimeError as error:
    print(f"RuntimeError: {error}")
