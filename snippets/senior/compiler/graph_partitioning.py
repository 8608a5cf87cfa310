import torch
from torch.nn import functional as F


def held_mib(function, *inputs: torch.Tensor) -> float:
    """MiB that autograd holds for the backward pass of a call."""
    storages = {}

    def pack(tensor):
        storages[tensor.untyped_storage()._cdata] = (
            tensor.untyped_storage().nbytes()
        )
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        function(*inputs)
    return sum(storages.values()) / 2**20


def gelu(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1 + torch.tanh(0.79788 * (x + 0.044715 * x**3)))


if __name__ == "__main__":
    x = torch.ones(512, 512, requires_grad=True)  # 1 MiB
    compiled = torch.compile(gelu, backend="aot_eager_decomp_partition")
    for name, f in (("by hand", gelu), ("F.gelu", F.gelu), ("compiled", compiled)):
        print(f"{name:9} {held_mib(f, x):.0f} MiB held for backward")
