"""Judge of layer norm as an autograd function: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

INSTEAD = "write forward and backward yourself"
judge = Judge(
    __file__,
    names={"LayerNorm": "class"},
    forbidden={
        "layer_norm": INSTEAD,
        "native_layer_norm": INSTEAD,
        "native_layer_norm_backward": INSTEAD,
        "LayerNorm": INSTEAD,
        "group_norm": INSTEAD,
        "native_group_norm": INSTEAD,
        "GroupNorm": INSTEAD,
        "instance_norm": INSTEAD,
        "batch_norm": INSTEAD,
        "enable_grad": INSTEAD,
        "set_grad_enabled": INSTEAD,
        "func": INSTEAD,
        "vjp": INSTEAD,
    },
    unproven="speed, and the backward pass of the backward pass",
)
SHAPES = [(1, 2), (4, 5), (3, 3), (7,), (2, 3, 4), (1, 1, 6), (3, 2), (2, 1)]
APPLY = "LayerNorm.apply(x, weight, bias, {eps})"
GRAD = "torch.autograd.grad(LayerNorm.apply(x, weight, bias, {eps}), (x, weight, bias), slope)"


def made(
    shape: tuple,
    call: str,
    eps: float = 0.5,
    change: str = "",
    dtype: str = "float32",
) -> str:
    """The code that makes the arguments and the incoming gradient, and a call."""
    change = f"\n{change}" if change else ""
    return f"""
torch.manual_seed(0)
x = torch.randn({shape}, dtype=torch.{dtype})
weight, bias = torch.randn(2, {shape[-1]}, dtype=torch.{dtype})
slope = torch.randn({shape}, dtype=torch.{dtype}){change}
x, weight, bias = (one.detach().requires_grad_() for one in (x, weight, bias))
{call.format(eps=eps)}"""


def right_values(case: Case, eps: float) -> Tensor:
    x, weight, bias = (
        one.detach().double() for one in (case.x, case.weight, case.bias)
    )
    return torch.nn.functional.layer_norm(x, weight.shape, weight, bias, eps)


def right_gradients(case: Case, eps: float) -> tuple[Tensor, ...]:
    inputs = [
        one.detach().double().requires_grad_()
        for one in (case.x, case.weight, case.bias)
    ]
    y = torch.nn.functional.layer_norm(
        inputs[0], inputs[1].shape, inputs[1], inputs[2], eps
    )
    return torch.autograd.grad(y, inputs, case.slope.double())


def check_values(
    solution: Solution,
    *args: object,
    eps: float = 0.5,
    rtol: float = 1e-4,
    **made_of: object,
) -> Case:
    case = solution.run(made(*args, APPLY, eps, **made_of))
    close(
        case.got,
        right_values(case, eps).to(case.x.dtype),
        rtol,
        rtol / 10,
        dtype=case.x.dtype,
    )
    return case


def check_gradients(
    solution: Solution,
    *args: object,
    eps: float = 0.5,
    rtol: float = 1e-4,
    **made_of: object,
) -> None:
    case = solution.run(made(*args, GRAD, eps, **made_of))
    for name, mine, right in zip(
        ("x", "weight", "bias"), case.got, right_gradients(case, eps), strict=True
    ):
        close(
            mine,
            right.to(case.x.dtype),
            rtol,
            rtol / 10,
            dtype=case.x.dtype,
            of=f"gradient of {name}",
        )


@judge.group("the values of F.layer_norm")
def values(solution: Solution) -> None:
    for shape in SHAPES:
        check_values(solution, shape)
    check_values(solution, (4, 5), eps=1e-5)


@judge.group("the gradients of F.layer_norm")
def gradients(solution: Solution) -> None:
    # Two channels and no eps have a gradient of 0 in x.
    for shape in SHAPES:
        check_gradients(solution, shape)
    check_gradients(solution, (4, 5), eps=1e-5)


@judge.group("strides, also of the incoming gradient")
def strides(solution: Solution) -> None:
    for change in (
        "slope = torch.ones(()).expand(4, 5)",
        "slope = torch.randn(5, 4).T",
        "x = torch.randn(5, 4).T",
    ):
        check_gradients(solution, (4, 5), change=change)
    for name in ("slope", "x"):
        check_gradients(
            solution,
            (2, 3, 4),
            change=f"{name} = torch.randn(4, 3, 2).transpose(0, 2)",
        )


@judge.group("only some arguments need a gradient")
def some(solution: Solution) -> None:
    for number, name in enumerate(("x", "weight", "bias")):
        call = "torch.autograd.grad(LayerNorm.apply({}, 0.5), {}, slope)"
        given = ", ".join(
            one if one == name else f"{one}.detach()"
            for one in ("x", "weight", "bias")
        )
        case = solution.run(made((4, 5), call.format(given, name)))
        close(
            case.got[0],
            right_gradients(case, 0.5)[number].float(),
            of=f"gradient of {name}",
        )


@judge.group("a second backward pass through the same graph")
def twice(solution: Solution) -> None:
    call = """y = LayerNorm.apply(x, weight, bias, {eps})
first = torch.autograd.grad(y, (x, weight, bias), slope, retain_graph=True)
torch.autograd.grad(y, (x, weight, bias), slope)"""
    case = solution.run(made((4, 5), call))
    for name, one, other in zip(
        ("x", "weight", "bias"), case.first, case.got, strict=True
    ):
        close(other, one, 1e-6, 1e-7, of=f"second gradient of {name}")


@judge.group("two layers in one graph")
def layers(solution: Solution) -> None:
    case = solution.run(
        made(
            (4, 5),
            """first = LayerNorm.apply(x, weight, bias, {eps})
y = LayerNorm.apply(first.tanh(), weight, bias, {eps})
torch.autograd.grad(y, (x, weight, bias), slope)""",
        )
    )
    x, weight, bias = inputs = [
        one.detach().double().requires_grad_()
        for one in (case.x, case.weight, case.bias)
    ]
    y = x
    for before in (torch.nn.Identity(), torch.tanh):
        y = torch.nn.functional.layer_norm(before(y), (5,), weight, bias, 0.5)
    right = torch.autograd.grad(y, inputs, case.slope.double())
    for name, mine, want in zip(
        ("x", "weight", "bias"), case.got, right, strict=True
    ):
        close(mine, want, of=f"gradient of {name}")


def holds_tensor(value: object) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, Tensor) or (
        isinstance(value, (list, tuple)) and any(map(holds_tensor, value))
    )


@judge.group("tensors are saved with save_for_backward")
def saved(solution: Solution) -> None:
    case = check_values(solution, (4, 5))
    true(case.got.grad_fn is not None, "the result has no graph", case.got)
    kept = [
        name
        for name, value in vars(case.got.grad_fn).items()
        if holds_tensor(value)
    ]
    true(
        not kept,
        f"ctx.{', ctx.'.join(kept)} holds a tensor, which belongs into save_for_backward",
    )


@judge.group("a mean far from zero, and float64")
def numerics(solution: Solution) -> None:
    check_values(solution, (4, 5), eps=1e-5, rtol=2e-3, change="x = x + 1000")
    check_values(solution, (4, 5), eps=1e-5, rtol=1e-9, dtype="float64")
    check_gradients(solution, (4, 5), eps=1e-5, rtol=1e-9, dtype="float64")


@judge.group("gradcheck")
def gradcheck(solution: Solution) -> None:
    call = "torch.autograd.gradcheck(LayerNorm.apply, (x, weight, bias, {eps}))"
    for shape in [(3,), (2, 3)]:
        solution.run(made(shape, call, dtype="float64"))


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made((4, 5), GRAD))


if __name__ == "__main__":
    main(judge)
