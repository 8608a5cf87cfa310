import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func


def compiled_when(function, x: torch.Tensor, **options) -> dict[str, str]:
    """In which call torch.compile hands each graph to its backend.

    Args:
        function: takes a tensor and returns one.
        options: of ``torch.compile``, without ``backend``.
    """
    found, now = {}, "nothing ran"

    def note(graph_name):
        def compiler(module, inputs):
            found[graph_name] = now
            return make_boxed_func(module.forward)

        return compiler

    backend = aot_autograd(
        fw_compiler=note("forward"),
        bw_compiler=note("backward"),
        inference_compiler=note("inference"),
    )
    torch.compiler.reset()
    compiled = torch.compile(function, backend=backend, **options)
    now = "first call"
    loss = compiled(x).sum()
    now = "first backward"
    if loss.requires_grad:
        loss.backward()
    return found


def activate(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x) * 2


if __name__ == "__main__":
    x = torch.ones(3, requires_grad=True)
    print("static sizes ", compiled_when(activate, x))
    print("dynamic sizes", compiled_when(activate, x, dynamic=True))
    with torch.no_grad():
        print("no_grad      ", compiled_when(activate, x))
