import gc

import torch
import torch.nn.functional as F
from torch import nn


def bytes_that_gc_sees() -> int:
    """Bytes of the storages of tensors and parameters that the collector tracks.

    Other subclasses are left out: torch.compile's fake tensors, for one, have no
    storage to point to.
    """
    tensors = [
        found
        for found in gc.get_objects()
        if type(found) in (torch.Tensor, nn.Parameter)
    ]
    sizes = {each.data_ptr(): each.untyped_storage().nbytes() for each in tensors}
    return sum(sizes.values())


def bytes_that_the_graph_saves(
    model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor
) -> int:
    """Bytes of the storages that one loss keeps for its backward pass.

    Parameters, inputs and targets are left out.
    """
    saved: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        saved[tensor.data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        # It needs a name, or the graph and its storages are gone at once.
        loss = F.cross_entropy(model(inputs), targets)
    for tensor in (inputs, targets, *model.parameters()):
        saved.pop(tensor.data_ptr(), None)
    return sum(saved.values()) if loss.requires_grad else 0


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1000))
    inputs, targets = torch.randn(128, 64), torch.randint(1000, (128,))
    before = bytes_that_gc_sees()
    loss = F.cross_entropy(model(inputs), targets)
    seen = bytes_that_gc_sees() - before
    print(f"gc.get_objects() sees  {seen:7,} bytes, the loss included")
    saved = bytes_that_the_graph_saves(model, inputs, targets)
    print(f"the graph has saved    {saved:7,} bytes")
