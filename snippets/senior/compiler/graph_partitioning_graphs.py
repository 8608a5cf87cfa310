from collections.abc import Callable

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import (
    default_partition,
    min_cut_rematerialization_partition,
)


def cut(function: Callable, x: torch.Tensor, partition: Callable) -> dict:
    """The two graphs that ``partition`` makes of ``function`` and its gradient.

    Args:
        function: takes a float tensor and returns one.
        x: requires grad.
        partition: one of PyTorch's partitioners.

    Returns:
        The operations in ``forward`` and ``backward``, and what is ``saved``.
    """
    found = {}

    def names(module: torch.fx.GraphModule) -> list[str]:
        return [node.name for node in module.graph.nodes if "call" in node.op]

    def forward(module, inputs):
        found["forward"] = names(module)
        found["saved"] = [
            node.name for node in module.graph.output_node().args[0][1:]
        ]
        return make_boxed_func(module.forward)

    def backward(module, inputs):
        found["backward"] = names(module)
        return make_boxed_func(module.forward)

    torch.compiler.reset()
    backend = aot_autograd(
        fw_compiler=forward, bw_compiler=backward, partition_fn=partition
    )
    torch.compile(function, backend=backend)(x).sum().backward()
    return found


def chain(x: torch.Tensor) -> torch.Tensor:
    return x.exp().sin().cos()


if __name__ == "__main__":
    for partition in (default_partition, min_cut_rematerialization_partition):
        print(partition.__name__)
        x = torch.ones(8, requires_grad=True)
        for what, nodes in cut(chain, x, partition).items():
            print(f"  {what:9}", *nodes)
