import warnings

import torch


def double_or_negate(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        return 2 * x
    return -x


def with_cond(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: 2 * x, lambda x: -x, (x,))


def counting(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]):
    graphs.append(graph)
    return graph.forward


x, graphs = torch.ones(2), []
with warnings.catch_warnings():
    for warning in (DeprecationWarning, torch.jit.TracerWarning):
        warnings.simplefilter("ignore", warning)
    traced = torch.jit.trace(double_or_negate, x)
print("eager        ", double_or_negate(-x).tolist())
print("jit.trace    ", traced(-x).tolist())
for function in (double_or_negate, with_cond):
    torch._dynamo.reset()
    graphs.clear()
    compiled = torch.compile(function, backend=counting)
    compiled(x)
    print("torch.compile", compiled(-x).tolist(), "graphs:", len(graphs))
