from collections.abc import Callable

import torch


def captured_graphs(
    function: Callable[[torch.Tensor], object], *inputs: torch.Tensor
) -> list[str]:
    """The ops of each graph that torch.compile captures, in order of capture.

    Args:
        function: called compiled, once on each of ``inputs``.
        inputs: float tensors of any shape.
    """
    graphs = []

    def backend(
        graph_module: torch.fx.GraphModule, example_inputs: list[torch.Tensor]
    ) -> Callable:
        names = [
            getattr(node.target, "__name__", str(node.target))
            for node in graph_module.graph.nodes
            if node.op in ("call_function", "call_method")
        ]
        graphs.append(" ".join(names))
        return graph_module.forward

    torch.compiler.reset()
    compiled = torch.compile(function, backend=backend)
    for x in inputs:
        compiled(x)
    return graphs


def activate(x: torch.Tensor) -> torch.Tensor:
    x = x * 2
    if x.sum() > 0:
        return x.sin() + 1
    return x.cos() - 1


if __name__ == "__main__":
    for value in (1.0, -1.0):
        found = torch._dynamo.explain(activate)(torch.full((3,), value))
        print(f"explain() on {value:4}: {found.graph_count} graphs,", end=" ")
        print(f"{found.graph_break_count} break: {found.break_reasons[0].reason}")
    ones = torch.ones(3)
    print(
        "captured from both:", *captured_graphs(activate, ones, -ones), sep="\n  "
    )
