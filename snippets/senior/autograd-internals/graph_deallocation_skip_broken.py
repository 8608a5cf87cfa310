import weakref

import torch
from torch.autograd.graph import saved_tensors_hooks

boxes, peaks = weakref.WeakSet(), []


class Box:
    def __init__(self, tensor: torch.Tensor):
        self.tensor = tensor
        boxes.add(self)
        peaks[-1] = max(peaks[-1], sum(b.tensor.nbytes for b in boxes) // 2**20)


for delete in (False, True):
    peaks.append(0)
    for skipped in (False, True, False):
        h = torch.zeros(2**18, requires_grad=True)
        with saved_tensors_hooks(Box, lambda box: box.tensor):
            loss = h.sin().sin().sin().sum()
        if skipped:  # a loss that is not finite, for example
            if delete:
                del loss
            continue
        loss.backward()
    print(f"del loss before continue: {delete!s:5}  peak {peaks[-1]} MiB")
