"""Judge of a linear layer with LoRA: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, true

judge = Judge(
    __file__,
    names={"LoRALinear": "class"},
    forbidden={"deepcopy": "keep the layer that was given"},
    unproven="speed, memory and how lora_a is distributed",
)


def made(
    n_in: int,
    n_out: int,
    rank: int,
    alpha: float,
    x: str,
    bias: bool = True,
    dtype: str = "",
) -> str:
    """The code that makes a layer with values in both of its matrices, and x."""
    bare = "" if bias else ", bias=False"
    of = f", dtype=torch.{dtype}" if dtype else ""
    return f"""
torch.manual_seed(0)
base = nn.Linear({n_in}, {n_out}{bare}{of})
layer = LoRALinear(base, {rank}, {alpha})
torch.manual_seed(1)
nn.init.normal_(layer.lora_a)
nn.init.normal_(layer.lora_b)
x = torch.randn({x}{of})
weight, bias = base.weight.detach().clone(), base.bias
"""


def update(case, rank: int, alpha: float) -> Tensor:
    """What is added to the weight, in float64, one outer product for each rank."""
    a, b = case.layer.lora_a.double(), case.layer.lora_b.double()
    return sum(torch.outer(b[:, r], a[r]) for r in range(rank)) * alpha / rank


def expected(case, rank: int, alpha: float) -> Tensor:
    weight = case.weight.double() + update(case, rank, alpha)
    y = torch.einsum("...i,oi->...o", case.x.double(), weight)
    return y if case.bias is None else y + case.bias.double()


@judge.group("a new layer: its parts, and it gives what its base gives")
def new(solution: Solution) -> None:
    code = "torch.manual_seed(0)\nbase = nn.Linear(5, 3)\nbefore = base.weight.detach().clone()\n"
    code += "layer = LoRALinear(base, 2, 8.0)\nx = torch.randn(4, 5)\n"
    case = solution.run(code + "layer(x)")
    layer, base = case.layer, case.base
    true(
        getattr(layer, "base", None) is base,
        "layer.base is not the layer that was given",
    )
    for name, shape in (("lora_a", (2, 5)), ("lora_b", (3, 2))):
        one = getattr(layer, name, None)
        true(
            isinstance(one, torch.nn.Parameter),
            f"layer.{name} is no nn.Parameter",
            one,
        )
        true(
            tuple(one.shape) == shape,
            f"layer.{name} has shape {tuple(one.shape)}, expected {shape}",
            one.shape,
        )
    trained = sorted(
        name for name, one in layer.named_parameters() if one.requires_grad
    )
    text = f"{', '.join(trained) or 'nothing'} require a gradient, expected lora_a, lora_b and nothing else"
    true(trained == ["lora_a", "lora_b"], text, trained)
    a, b = layer.lora_a.detach(), layer.lora_b.detach()
    values = [
        f"{name} is {'not ' if one.any() else ''}zero"
        for name, one in (("lora_a", a), ("lora_b", b))
    ]
    true(
        bool(a.any()) and not b.any(),
        f"at the start {' and '.join(values)}",
        values,
    )
    true(
        len(a.unique()) > 1,
        "lora_a is not random: its values are all the same",
        len(a.unique()),
    )
    close(base.weight, case.before, 0.0, 0.0, of="base.weight")
    with torch.no_grad():
        close(case.got, base(case.x), 1e-6, 1e-6)
    case = solution.run("""
torch.manual_seed(0)
base = nn.Linear(5, 3)
layers = [LoRALinear(base, 2, 8.0) for _ in range(2)]
[layer.lora_a for layer in layers]
""")
    true(
        not torch.equal(*case.got),
        "lora_a is not random: two layers around one base start with the same values",
        [one.detach() for one in case.got],
    )


@judge.group("numbers against the sum of outer products")
def numbers(solution: Solution) -> None:
    for n_in, n_out, rank, alpha, x, bias in [
        (2, 1, 1, 1.0, "1, 2", True),
        (6, 4, 2, 8.0, "3, 6", True),
        (4, 6, 4, 8.0, "2, 3, 4", False),
        (3, 3, 3, 1.5, "3, 3", True),
        (5, 2, 1, 4.0, "5", True),
    ]:
        case = solution.run(made(n_in, n_out, rank, alpha, x, bias) + "layer(x)")
        close(case.got, expected(case, rank, alpha).float(), 1e-4, 1e-5)


@judge.group("the rank is at least 1")
def ranks(solution: Solution) -> None:
    for rank in (0, -2):
        solution.refuses(f"repr(LoRALinear(nn.Linear(3, 2), {rank}, 1.0))")


@judge.group("gradients, and a step of training")
def gradients(solution: Solution) -> None:
    names = ("x", "layer.lora_a", "layer.lora_b")
    code = (
        made(6, 4, 2, 8.0, "2, 3, 6")
        + "x.requires_grad_()\nslope = torch.randn(2, 3, 4)\n"
    )
    case = solution.run(
        code
        + f"torch.autograd.grad(layer(x), ({', '.join(names)}), slope, allow_unused=True)"
    )
    inputs = (case.x, case.layer.lora_a, case.layer.lora_b)
    want = torch.autograd.grad(expected(case, 2, 8.0), inputs, case.slope.double())
    for name, mine, theirs in zip(names, case.got, want, strict=True):
        true(mine is not None, f"no gradient reaches {name}")
        close(mine, theirs, 1e-3, 1e-5, of=f"gradient of {name}")
    code = "torch.manual_seed(0)\nbase = nn.Linear(5, 3)\nlayer = LoRALinear(base, 2, 8.0)\n"
    code += "x = torch.randn(4, 5)\nbefore = base(x).detach()\n"
    code += "optimizer = torch.optim.SGD([p for p in layer.parameters() if p.requires_grad], lr=0.1)\n"
    case = solution.run(
        code + "layer(x).square().sum().backward()\noptimizer.step()\nlayer(x)"
    )
    true(
        bool((case.got - case.before).abs().max() > 1e-3),
        "after a step of training the output is the same",
        case.got,
    )


@judge.group("merge and unmerge, in any order")
def merging(solution: Solution) -> None:
    for calls in (
        ["merge"],
        ["merge", "unmerge"],
        ["merge", "merge"],
        ["unmerge"],
        ["merge", "merge", "unmerge"],
        ["merge", "unmerge", "unmerge"],
        ["merge", "unmerge", "merge"],
    ):
        called = "".join(f"layer.{name}()\n" for name in calls)
        case = solution.run(
            made(6, 4, 3, 8.0, "2, 6")
            + "own = base.weight\nmemory = own.detach()\n"
            + called
            + "layer(x)"
        )
        close(case.got, expected(case, 3, 8.0).float(), 1e-4, 1e-4)
        merged = calls[-1] == "merge"
        true(
            case.layer.base is case.base,
            "layer.base is not the layer that was given",
        )
        true(
            case.base.weight is case.own,
            "base.weight is another parameter than before",
        )
        weight = case.weight.double() + (update(case, 3, 8.0) if merged else 0.0)
        close(case.own, weight.float(), 1e-4, 1e-4, of="base.weight")
        true(
            not case.own.requires_grad, "base.weight requires a gradient afterward"
        )
        close(
            case.memory, weight.float(), 1e-4, 1e-4, of="the memory of base.weight"
        )
        if merged:
            with torch.no_grad():
                close(
                    case.base(case.x),
                    expected(case, 3, 8.0).float(),
                    1e-4,
                    1e-4,
                    of="the base alone",
                )


@judge.group("another layer is not affected")
def another(solution: Solution) -> None:
    code = made(6, 4, 3, 8.0, "2, 6")
    code += "other = LoRALinear(nn.Linear(6, 4), 3, 8.0)\nother.merge()\n"
    case = solution.run(code + "layer(x)")
    close(case.got, expected(case, 3, 8.0).float(), 1e-4, 1e-4)


@judge.group("after unmerge it trains again")
def again(solution: Solution) -> None:
    code = made(6, 4, 3, 8.0, "2, 6") + "layer.merge()\nlayer.unmerge()\n"
    case = solution.run(
        code + "torch.autograd.grad(layer(x).sum(), (layer.lora_a, layer.lora_b))"
    )
    want = torch.autograd.grad(
        expected(case, 3, 8.0).sum(), (case.layer.lora_a, case.layer.lora_b)
    )
    for name, mine, theirs in zip(
        ("lora_a", "lora_b"), case.got, want, strict=True
    ):
        close(mine, theirs, 1e-3, 1e-4, of=f"gradient of {name}")


@judge.group("a base in float64 or bfloat16, and the state_dict")
def dtypes(solution: Solution) -> None:
    for dtype, tolerance in (("float64", 1e-10), ("bfloat16", 5e-2)):
        case = solution.run(made(6, 4, 2, 2.0, "3, 6", dtype=dtype) + "layer(x)")
        for name in ("lora_a", "lora_b"):
            one = getattr(case.layer, name)
            true(
                one.dtype == case.weight.dtype,
                f"{name} is {one.dtype}, expected {case.weight.dtype}",
                one.dtype,
            )
        close(
            case.got,
            expected(case, 2, 2.0),
            tolerance,
            tolerance,
            dtype=case.weight.dtype,
        )
    case = solution.run(made(6, 4, 2, 8.0, "3, 6") + "layer.state_dict()")
    missing = {"base.weight", "base.bias", "lora_a", "lora_b"} - set(case.got)
    true(
        not missing,
        f"the state_dict has no {', '.join(sorted(missing))}",
        sorted(missing),
    )


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    case = solution.run(
        "base = nn.Linear(6, 4, device='meta')\nLoRALinear(base, 2, 8.0)"
    )
    for name in ("lora_a", "lora_b"):
        on = getattr(case.got, name).device.type
        true(
            on == "meta",
            f"the base is on the meta device, and {name} is on {on}",
            on,
        )
    for last in ("layer(x)", "layer.merge()"):
        solution.on_meta(made(6, 4, 2, 8.0, "3, 6") + last)


if __name__ == "__main__":
    main(judge)
