import torch
from torch._functorch import config


def layers(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    for _ in range(6):
        x = (x @ w).relu()
    return x


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


if __name__ == "__main__":
    x, w = (torch.eye(512).requires_grad_() for _ in range(2))
    model = torch.compile(layers, backend="aot_eager_decomp_partition")
    print(f"budget 1:             {held_mib(model, x, w):.2f} MiB")
    config.activation_memory_budget = 0.0
    print(f"budget 0, too late:   {held_mib(model, x, w):.2f} MiB")
    torch.compiler.reset()
    print(f"budget 0, compiled:   {held_mib(model, x, w):.2f} MiB")
