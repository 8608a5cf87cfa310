import sys
from collections.abc import Callable

import torch


def python_calls(function: Callable[[], object]) -> int:
    """How many functions, in Python or C, the interpreter calls."""
    calls = 0

    def count(frame, event, arg) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    function()  # the first call may do more
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return calls


def adamw(tensors: int, **options: bool) -> Callable[[], object]:
    """``step`` of AdamW for that many small parameters."""
    parameters = [torch.ones(4, requires_grad=True) for _ in range(tensors)]
    for parameter in parameters:
        parameter.grad = torch.ones(4)
    return torch.optim.AdamW(parameters, **options).step


if __name__ == "__main__":
    loop = python_calls(adamw(100, foreach=False))
    foreach = python_calls(adamw(100, foreach=True))
    fused = python_calls(adamw(100, fused=True))
    print("foreach makes over 80% of the loop's calls:", foreach > 0.8 * loop)
    print("fused makes fewer than 60% of them:", fused < 0.6 * loop)
