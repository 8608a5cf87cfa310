import heapq
from itertools import count

import torch


class PriorityQueue:
    def __init__(self):
        self.heap, self.arrivals = [], count()

    def push(self, priority, tensor):
        heapq.heappush(self.heap, (priority, next(self.arrivals), tensor))

    def pop(self):
        priority, _, tensor = heapq.heappop(self.heap)
        return priority, tensor


queue = PriorityQueue()
for priority, name in ((0.5, 1), (0.2, 2), (0.5, 3), (0.2, 4)):
    queue.push(priority, torch.full((3,), name))
while queue.heap:
    print(*queue.pop())
