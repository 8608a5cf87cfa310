import logging

import torch
from torch import nn

logging.disable(logging.WARNING)  # "hit config.recompile_limit (8)", once


class Warmup(nn.Module):
    def __init__(self, step: int | torch.Tensor):
        super().__init__()
        self.step = step

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.step = self.step + 1  # how many times forward was called
        return x * self.step


def count(step: int | torch.Tensor, calls: int, **options) -> tuple[int, int]:
    """How many graphs are compiled in ``calls`` calls, and in how many one runs."""
    compiled, ran = [], []

    def backend(module: torch.fx.GraphModule, inputs: list):
        compiled.append(module)
        return lambda *args: ran.append(1) or module.forward(*args)

    torch.compiler.reset()
    model = torch.compile(Warmup(step), backend=backend, **options)
    for _ in range(calls):
        model(torch.ones(2))
    return len(compiled), len(ran)


if __name__ == "__main__":
    for name, start in (("int", 0), ("tensor", torch.tensor(0)), ("float", 0.0)):
        graphs, ran = count(start, calls=20)
        print(f"{name:6} step: {graphs} graphs, used in {ran:2} of 20 calls")
    try:
        count(0, calls=20, fullgraph=True)
    except torch._dynamo.exc.FailOnRecompileLimitHit as error:
        print(f"fullgraph=True: {type(error).__name__}")
