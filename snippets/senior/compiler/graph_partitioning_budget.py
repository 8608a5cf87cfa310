from collections.abc import Callable

import torch
from torch._functorch import config
from torch.utils.flop_counter import FlopCounterMode


def price(function: Callable, *inputs: torch.Tensor) -> tuple[float, int]:
    """What one training step of ``function`` holds and computes again.

    Args:
        function: of square float32 matrices of the same size, eager or compiled.
        inputs: require grad.

    Returns:
        MiB held for the backward pass, and matrix products in the backward pass.
    """
    storages = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storages[tensor.untyped_storage()._cdata] = (
            tensor.untyped_storage().nbytes()
        )
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        out = function(*inputs)
    with FlopCounterMode(display=False) as counter:
        out.sum().backward()
    products = counter.get_total_flops() // (2 * out.shape[0] ** 3)
    return sum(storages.values()) / 2**20, products


def layers(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    for _ in range(6):
        x = (x @ w).relu()
    return x


if __name__ == "__main__":
    x, w = (torch.eye(256).requires_grad_() for _ in range(2))
    mib, products = price(layers, x, w)
    print(f"eager       {mib:5.2f} MiB held, {products} products in backward")
    for budget in (1.0, 0.75, 0.5, 0.25, 0.0):
        torch.compiler.reset()
        with config.patch(activation_memory_budget=budget):
            compiled = torch.compile(layers, backend="aot_eager_decomp_partition")
            mib, products = price(compiled, x, w)
        print(f"budget {budget:4} {mib:5.2f} MiB held, {products} in backward")
