import gc

import torch
import torch.nn.functional as F
from torch import nn


def bytes_that_gc_sees() -> int:
    """Bytes of the storages of tensors and parameters that the collector tracks.

    Other subclasses are left out: fake tensors, for example, have no storage.
    """
    tensors = [
        found
        for found in gc.get_objects()
        if type(found) in (torch.Tensor, nn.Parameter)
    ]
    sizes = {each.data_ptr(): each.untyped_storage().nbytes() for each in tensors}
    return sum(sizes.values())


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1000))
    inputs, targets = torch.randn(128, 64), torch.randint(1000, (128,))
    before = bytes_that_gc_sees()
    loss = F.cross_entropy(model(inputs), targets)
    seen = bytes_that_gc_sees() - before
    node = loss.grad_fn.next_functions[0][0]
    print(f"gc.get_objects() sees {seen:,} bytes, the loss included")
    print(f"{node.name()} keeps {node._saved_result.nbytes:,} bytes more")
