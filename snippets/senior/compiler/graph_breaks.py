from collections.abc import Callable

import torch


def captured_graphs(
    function: Callable[[torch.Tensor], object], *inputs: torch.Tensor
) -> list[str]:
    """The ops of every graph that torch.compile captures while ``function`` runs on each input, in order."""
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
    explanation = torch._dynamo.explain(activate)(torch.ones(3))
    print(
        f"explain(): {explanation.graph_count} graphs, {explanation.graph_break_count} break"
    )
    print(f"reason:    {explanation.break_reasons[0].reason}")
    for number, ops in enumerate(
        captured_graphs(activate, torch.ones(3), -torch.ones(3)), 1
    ):
        print(f"graph {number}:   {ops}")
