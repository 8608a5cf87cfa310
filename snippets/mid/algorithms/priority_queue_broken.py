import heapq

import torch

heap = []
for loss in torch.rand(1000, generator=torch.Generator().manual_seed(0)).tolist():
    heapq.heappush(heap, (loss, torch.ones(3)))
print("pushed", len(heap))
try:
    heapq.heappush(heap, (min(heap)[0], torch.ones(3)))
except RuntimeError as error:
    print(f"RuntimeError: {error}")

heap = []
for name in (3, 1, 2):  # tensors with one element
    heapq.heappush(heap, (0.5, torch.tensor([name])))
print("one element:", [heapq.heappop(heap)[1].item() for _ in range(3)])
