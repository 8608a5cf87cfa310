import torch
import torch._functorch.config as config
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import (
    default_partition,
    min_cut_rematerialization_partition,
)


def chain(x: torch.Tensor, *weights: torch.Tensor) -> torch.Tensor:
    for w in weights:
        x = (x @ w).relu().sigmoid()
    return x


def report(name: str, partition: object, budget: float) -> None:
    """Compile the chain; print what its backward graph receives and computes."""

    def backward(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> object:
        size = sum(t.nbytes for t in inputs if t.shape == x.shape) / x.nbytes - 1
        matmuls = sum(
            node.target == torch.ops.aten.mm.default for node in graph.graph.nodes
        )
        print(f"{name:26}{size:6.2f} activations  {matmuls} matmuls in backward")
        return make_boxed_func(graph.forward)

    forward = lambda graph, _: make_boxed_func(graph.forward)  # noqa: E731
    backend = aot_autograd(
        fw_compiler=forward, bw_compiler=backward, partition_fn=partition
    )
    torch._dynamo.reset()
    with config.patch(activation_memory_budget=budget):
        torch.compile(chain, backend=backend)(x, *weights).sum().backward()


if __name__ == "__main__":
    x = torch.randn(64, 32, requires_grad=True)
    weights = [torch.randn(32, 32, requires_grad=True) for _ in range(6)]
    report("keep all", default_partition, 1.0)
    for budget in (1.0, 0.5, 0.25, 0.0):
        report(
            f"min-cut, budget {budget}", min_cut_rematerialization_partition, budget
        )
