"""Judge of LoRA in a model: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, normal, same, true

judge = Judge(
    __file__,
    names={"LoRA": "class", "add_lora": "function", "merge_lora": "function"},
    unproven="speed and memory",
)
MODEL = """
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(4, 12, bias=False), nn.Linear(12, 4)
        self.qkv_norm = nn.LayerNorm(4)
        self.layout = nn.Linear(4, 4)
    def forward(self, x):
        return x + self.layout(self.out(torch.tanh(self.qkv(self.qkv_norm(x)))))

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Part(), Part()])
        self.norm, self.out = nn.LayerNorm(4), nn.Linear(4, 6)
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.out(self.norm(x))

torch.manual_seed(0)
model = Model().double()
x = torch.randn(2, 3, 4, dtype=torch.float64)
"""
WRITES = ["model", "Model", "Part", "lora", "layer", "trained"]


def layer(out: int, size: int, rank: int, alpha: float, bias: bool = True) -> str:
    """The code that makes a LoRA whose update is not zero, and x."""
    return f"""
torch.manual_seed(0)
layer = nn.Linear({size}, {out}, bias={bias})
lora = LoRA(layer, {rank}, {alpha})
with torch.no_grad():
    lora.b.copy_(torch.randn({out}, {rank}))
x = torch.randn(2, 5, {size})
"""


@judge.group("the parameters of a layer")
def parameters(solution: Solution) -> None:
    for out, size, rank, bias in (
        (6, 4, 2, True),
        (4, 4, 1, False),
        (3, 5, 3, True),
    ):
        code = f"torch.manual_seed(0)\nlayer = nn.Linear({size}, {out}, bias={bias})\nLoRA(layer, {rank}, 8.0)"
        case = solution.run(code, writes=WRITES)
        lora = case.got
        want = {"a": (rank, size), "b": (out, rank), "base.weight": (out, size)}
        if bias:
            want["base.bias"] = (out,)
        found = {name: tuple(one.shape) for name, one in lora.named_parameters()}
        same(dict(sorted(found.items())), dict(sorted(want.items())), "parameters")
        true(
            lora.base is case.layer,
            "base is not the layer that was given",
            "copied",
        )
        close(lora.b, torch.zeros(out, rank), 0, 0, of="b at the start")


@judge.group("a at the start")
def start(solution: Solution) -> None:
    for size, rank in ((64, 500), (400, 80)):
        code = f"torch.manual_seed(0)\nlayer = nn.Linear({size}, 3)\nLoRA(layer, {rank}, 8.0).a"
        normal(solution.run(code, writes=WRITES).got, size**-0.5, of="a")


@judge.group("the output of a layer")
def output(solution: Solution) -> None:
    for out, size, rank, alpha, bias in (
        (6, 4, 2, 8.0, True),
        (4, 4, 4, 1.0, False),
        (3, 5, 1, 0.5, True),
    ):
        case = solution.run(
            layer(out, size, rank, alpha, bias) + "lora(x)", writes=WRITES
        )
        lora = case.lora
        weight = lora.base.weight.double() + alpha / rank * (
            lora.b.double() @ lora.a.double()
        )
        want = case.x.double() @ weight.T
        if bias:
            want = want + lora.base.bias.double()
        close(case.got, want.float(), 1e-4, 1e-5)


@judge.group("dtypes and devices of the layer")
def dtypes(solution: Solution) -> None:
    for dtype in ("float64", "bfloat16"):
        code = f"layer = nn.Linear(4, 6).to(torch.{dtype})\nx = torch.ones(2, 4, dtype=torch.{dtype})\nlora = LoRA(layer, 2, 8.0)\nlora(x)"
        case = solution.run(code, writes=WRITES)
        for name, one in (
            ("a", case.lora.a),
            ("b", case.lora.b),
            ("the output", case.got),
        ):
            true(
                one.dtype == getattr(torch, dtype),
                f"{name} is {one.dtype}, the layer is torch.{dtype}",
                str(one.dtype),
            )
    case = solution.run(
        "layer = nn.Linear(4, 6, device='meta')\nLoRA(layer, 2, 8.0)", writes=WRITES
    )
    for name in ("a", "b"):
        where = getattr(case.got, name).device.type
        true(where == "meta", f"the layer is on meta, and {name} on {where}", where)


@judge.group("the layers of a model")
def replaced(solution: Solution) -> None:
    for name, want in (
        ("qkv", ["blocks.0.qkv", "blocks.1.qkv"]),
        ("out", ["blocks.0.out", "blocks.1.out", "out"]),
        ("nothing", []),
        ("norm", []),
    ):
        code = (
            MODEL
            + f"before = model(x)\ntrained = add_lora(model, 2, 8.0, '{name}')\nmodel(x)"
        )
        case = solution.run(code, writes=WRITES)
        loras = [
            path for path, one in case.model.named_modules() if hasattr(one, "base")
        ]
        same(loras, want, "layers that were replaced")
        close(case.got, case.before, 1e-9, 1e-9, of="output right after add_lora")


@judge.group("only the updates are trained")
def trained(solution: Solution) -> None:
    for name in ("qkv", "out"):
        case = solution.run(
            MODEL + f"add_lora(model, 2, 8.0, '{name}')", writes=WRITES
        )
        true(
            isinstance(case.got, list),
            f"got {type(case.got).__name__}, expected a list",
            case.got,
        )
        want = [
            path
            for path, _ in case.model.named_parameters()
            if path.endswith((".a", ".b"))
        ]
        needed = [
            path for path, one in case.model.named_parameters() if one.requires_grad
        ]
        same(needed, want, "parameters that need a gradient")
        right = [
            one for _, one in case.model.named_parameters() if one.requires_grad
        ]
        alike = len(case.got) == len(right) and all(
            a is b for a, b in zip(case.got, right, strict=True)
        )
        true(
            alike,
            "what add_lora returns is not these parameters, in their order",
            "others",
        )


TRAIN = """
trained = add_lora(model, 2, 8.0, 'out')
optimizer = torch.optim.SGD(trained, lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(x).square().sum().backward()
    optimizer.step()
trained_output = model(x).detach()
"""


@judge.group("merged: the same outputs, and the names of before")
def merged(solution: Solution) -> None:
    code = (
        MODEL
        + "names = [name for name, _ in model.named_parameters()]\nbefore = model(x).detach()\n"
    )
    code += "weights = [model.out.weight, model.blocks[1].out.weight]\n" + TRAIN
    code += "merge_lora(model)\nmodel(x)"
    case = solution.run(
        code, writes=[*WRITES, "optimizer", "weights", "trained_output"]
    )
    moved = float((case.trained_output - case.before).abs().max())
    true(moved > 1e-3, "training has not changed the output", moved)
    close(case.got, case.trained_output, 1e-9, 1e-9, of="output after merge_lora")
    same(
        [name for name, _ in case.model.named_parameters()],
        case.names,
        "names of the parameters",
    )
    model = case.model
    kinds = [
        type(one) for one in (model.out, model.blocks[0].out, model.blocks[1].out)
    ]
    true(
        kinds == [nn.Linear] * 3,
        f"the layers are {[kind.__name__ for kind in kinds]}",
        str(kinds),
    )
    kept = (
        case.weights[0] is model.out.weight
        and case.weights[1] is model.blocks[1].out.weight
    )
    true(kept, "the weight is another tensor than that of the base", "replaced")


@judge.group("a model without a LoRA stays as it is")
def nothing(solution: Solution) -> None:
    case = solution.run(
        MODEL + "before = model(x)\nmerge_lora(model)\nmodel(x)", writes=WRITES
    )
    close(case.got, case.before, 0, 0)


if __name__ == "__main__":
    main(judge)
