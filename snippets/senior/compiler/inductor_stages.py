from collections.abc import Callable

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._inductor.decomposition import select_decomp_table
from torch.nn import functional as F


def graphs(function: Callable, x: torch.Tensor) -> dict[str, list[str]]:
    """The operations of ``function`` as each stage sees them, for inference.

    Args:
        function: takes a float tensor.
        x: does not require grad.
    """
    found = {}

    def names(module: torch.fx.GraphModule) -> list[str]:
        calls = [node.target for node in module.graph.nodes if "call" in node.op]
        return [
            getattr(call, "__name__", str(call)).split(".")[0] for call in calls
        ]

    def backend(module, inputs):
        found["Dynamo"] = names(module)
        for stage, table in (
            ("AOTAutograd", {}),
            ("decomposed", select_decomp_table()),
        ):

            def note(graph, inputs, stage=stage):
                found[stage] = names(graph)
                return make_boxed_func(graph.forward)

            compile_one = aot_autograd(fw_compiler=note, decompositions=table)
            run = compile_one(module, inputs)
            run(*inputs)
        return run

    torch.compiler.reset()
    torch.compile(function, backend=backend)(x)
    return found


if __name__ == "__main__":
    x = torch.ones(2, 8)
    for name, function in (
        ("layer_norm", lambda x: F.layer_norm(x, (8,))),
        ("matmul", lambda x: torch.relu(x @ x.T)),
    ):
        print(name)
        for stage, operations in graphs(function, x).items():
            print(f"  {stage:11}", *operations)
