# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
from collections.abc import Callable

import numpy as np
import torch


def capture(function: Callable[[torch.Tensor], torch.Tensor]) -> tuple[int, str]:
    """Call ``function`` compiled, on ones of shape (3,).

    Returns:
        How many graphs torch.compile captures by default, and "ok" or "error"
        with ``fullgraph=True``.
    """
    graphs = []

    def backend(
        graph_module: torch.fx.GraphModule, example_inputs: list[torch.Tensor]
    ) -> Callable:
        graphs.append(graph_module)
        return graph_module.forward

    torch.compiler.reset()
    torch.compile(function, backend=backend)(torch.ones(3))
    torch.compiler.reset()
    try:
        torch.compile(function, backend="eager", fullgraph=True)(torch.ones(3))
    except (torch._dynamo.exc.Unsupported, torch._dynamo.exc.UserError):
        return len(graphs), "error"
    return len(graphs), "ok"


@torch.compiler.disable
def disabled(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def with_print(x: torch.Tensor) -> torch.Tensor:
    x = x * 2
    print(end="")
    return x + 1


def loop_with_branch(x: torch.Tensor) -> torch.Tensor:
    for _ in range(3):
        x = x * 2
        if x.sum() > 0:
            x = x + 1
    return x * 3


CONSTRUCTS = {
    "if x.shape[0] > 2": lambda x: x * 2 if x.shape[0] > 2 else x,
    "np.sin(x.numpy())": lambda x: torch.from_numpy(np.sin(x.numpy())) * 2,
    "x.sum().item()": lambda x: x * x.sum().item(),
    "x[x > 0]": lambda x: x[x > 0] * 2,
    "print()": with_print,
    "print() in a helper": lambda x: with_print(x - 1) / 3,
    "call of a disabled function": lambda x: disabled(x * 2) * 3,
    "if x.sum() > 0": lambda x: x * 2 if x.sum() > 0 else x * 3,
    "if x.sum() > 0 in a loop": loop_with_branch,
}

if __name__ == "__main__":
    print(f"{'':28}graphs  fullgraph=True")
    for construct, function in CONSTRUCTS.items():
        graphs, fullgraph = capture(function)
        print(f"{construct:28}{graphs:6}  {fullgraph}")
