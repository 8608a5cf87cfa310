# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
import textwrap
from collections.abc import Callable

import numpy as np
import torch


def first_line(call: Callable[[], object]) -> str:
    """The first line of the error that ``call`` raises, or "ok"."""
    try:
        call()
    except Exception as error:
        message = (
            f"{type(error).__name__}: {str(error).splitlines()[0].split('. ')[0]}"
        )
        return "\n  ".join(textwrap.wrap(message, 80))
    return "ok"


def numpy_softplus(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.logaddexp(0, x.numpy()))


@torch.library.custom_op("warmup_missing::softplus", mutates_args=())
def softplus(x: torch.Tensor) -> torch.Tensor:
    return numpy_softplus(x)


if __name__ == "__main__":
    x = torch.ones(3)
    w = torch.ones(3, requires_grad=True)
    compiled = torch.compile(softplus, backend="eager", fullgraph=True)

    print("a function, and x requires grad")
    print(" ", first_line(lambda: numpy_softplus(w)))
    print("custom_op alone: call, compile, backward")
    print(" ", first_line(lambda: softplus(x)))
    print(" ", first_line(lambda: compiled(x)))
    print(" ", first_line(lambda: softplus(w).sum().backward()))
    softplus.register_fake(lambda x: torch.empty_like(x))
    print("with register_fake: compile, backward")
    print(" ", first_line(lambda: compiled(x)))
    print(" ", first_line(lambda: softplus(w).sum().backward()))
    softplus.register_autograd(
        lambda ctx, grad: grad * torch.sigmoid(ctx.x),
        setup_context=lambda ctx, inputs, output: setattr(ctx, "x", inputs[0]),
    )
    print("with register_autograd: compile, backward")
    print(" ", first_line(lambda: compiled(x)))
    print(" ", first_line(lambda: softplus(w).sum().backward()))
