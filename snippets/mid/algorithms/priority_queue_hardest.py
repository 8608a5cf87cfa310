"""The k examples with the largest losses of an epoch, by a heap and by topk."""

import heapq
from collections.abc import Iterable

import torch
from torch import Tensor


def hardest_by_heap(losses: Iterable[float], k: int) -> list[tuple[float, int]]:
    """The k largest (loss, index), largest first, ties by index; k >= 0, no NaN."""
    heap: list[tuple[float, int]] = []
    for index, loss in enumerate(losses):
        entry = (loss, -index)
        if len(heap) < k:
            heapq.heappush(heap, entry)
        elif k and entry > heap[0]:
            heapq.heapreplace(heap, entry)  # drops the easiest of the k
    return [(loss, -index) for loss, index in sorted(heap, reverse=True)]


def hardest_by_topk(batches: Iterable[Tensor], k: int) -> tuple[Tensor, Tensor]:
    """The k largest losses of 1-D batches, and their indices in the epoch.

    Keeps 2 tensors of k numbers on the device of the batches, and reads no value.
    """
    best, indices, seen = torch.empty(0), torch.empty(0, dtype=torch.long), 0
    for losses in batches:
        losses = losses.detach()
        here = torch.arange(seen, seen + len(losses), device=losses.device)
        best = torch.cat([best.to(losses), losses])
        indices = torch.cat([indices.to(losses.device), here])
        best, chosen = best.topk(min(k, len(best)))
        indices, seen = indices.gather(0, chosen), seen + len(losses)
    return best, indices


if __name__ == "__main__":
    losses = torch.tensor([0.3, 2.5, 0.1, 1.75, 0.2, 3.0, 0.4])
    print([index for _, index in hardest_by_heap(losses.tolist(), 3)])
    print(hardest_by_topk(losses.split(2), 3)[1].tolist())
