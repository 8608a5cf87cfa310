from collections.abc import Callable

import torch
from torch import nn
from torch._dynamo.testing import CompileCounterWithBackend


def compiles(function: Callable, calls: list, before=None, **options) -> str:
    """One mark per call of the compiled function: C if it compiles, else a dot.

    Args:
        function: takes the arguments in each of ``calls``.
        before: called with the number of each call, ahead of it.
        options: of ``torch.compile``.
    """
    torch.compiler.reset()
    counter, marks = CompileCounterWithBackend("aot_eager"), []
    compiled = torch.compile(function, backend=counter, **options)
    for number, arguments in enumerate(calls):
        if before:
            before(number)
        count = counter.frame_count
        compiled(*arguments)
        marks.append("C" if counter.frame_count > count else ".")
    return " ".join(marks)


class Scaled(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


def with_attribute(values: list) -> str:
    """The marks of a module whose attribute ``scale`` changes before each call."""
    module = Scaled(values[0])
    calls = [[torch.ones(2)]] * len(values)
    return compiles(module, calls, lambda i: setattr(module, "scale", values[i]))


def with_rates(rates: list[float] | torch.Tensor, kind=torch.optim.SGD) -> str:
    """The marks of a compiled optimizer step; a tensor rate if ``rates`` is one."""
    weight = nn.Parameter(torch.ones(2))
    weight.grad = torch.ones(2)
    is_tensor = isinstance(rates, torch.Tensor)
    optimizer = kind([weight], lr=rates[0].clone() if is_tensor else rates[0])
    (group,) = optimizer.param_groups

    def change(number: int):
        if is_tensor:
            group["lr"].copy_(rates[number])
        else:
            group["lr"] = rates[number]

    return compiles(optimizer.step, [[]] * len(rates), change)


if __name__ == "__main__":
    x, sin = torch.ones(2), torch.sin
    wide = [[torch.ones(n, 8)] for n in (4, 5, 6, 1)]
    square = [[torch.ones(n, 4)] for n in (4, 5, 6, 1)]
    transposed = torch.ones(8, 4).T
    tenths = [0.1, 0.2, 0.3, 0.4]
    rows = {
        "(n, 8), dynamic=False": compiles(sin, wide, dynamic=False),
        "(n, 8), dynamic=True": compiles(sin, wide, dynamic=True),
        "(n, 4), dynamic=True": compiles(sin, square, dynamic=True),
        "rank 1, 2, 3": compiles(sin, [[x], [x[None]], [x[None, None]]]),
        "strides (8, 1), (1, 4)": compiles(sin, [[torch.ones(4, 8)], [transposed]]),
        "grad mode off, on, off": compiles(
            sin, [[x]] * 3, lambda i: torch.set_grad_enabled(i == 1)
        ),
        "list of 2, 3, 4 tensors": compiles(
            torch.stack, [[[x] * n] for n in (2, 3, 4)]
        ),
        "float, x * value": compiles(torch.mul, [[x, number] for number in tenths]),
        "float, x.clamp(value)": compiles(torch.clamp, [[x, t] for t in tenths]),
        "int attribute of a module": with_attribute([2, 3, 4, 5]),
        "float attribute": with_attribute(tenths),
        "tensor attribute": with_attribute(list(torch.arange(4.0))),
        "rate of SGD, float": with_rates(tenths),
        "rate of AdamW, float": with_rates(tenths, torch.optim.AdamW),
        "rate of SGD, tensor": with_rates(torch.tensor(tenths)),
    }
    for change, marks in rows.items():
        print(f"{change:27}", marks)
