"""Judge of an exponential moving average of weights: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

INSTEAD = "keep the average yourself"
judge = Judge(
    __file__,
    names={"EMA": "class"},
    forbidden=dict.fromkeys(
        (
            "swa_utils",
            "AveragedModel",
            "get_ema_multi_avg_fn",
            "get_ema_avg_fn",
            "get_swa_avg_fn",
        ),
        INSTEAD,
    ),
    unproven="speed, devices other than the CPU",
)

NET = """
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.2), nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
"""
TRAINED = """
history = [[p.detach().clone() for p in model.parameters()]]
for _ in range({steps}):
    optimizer.zero_grad()
    model(torch.randn(8, 3)).square().mean().backward()
    optimizer.step()
    history.append([p.detach().clone() for p in model.parameters()])
    ema.update(model)
ema.module
"""


def moved(decay: float, *values: float) -> str:
    """Code that averages one weight."""
    lines = [
        f"model = nn.Linear(1, 1, bias=False)\nmodel.weight.data.fill_({values[0]})\nema = EMA(model, {decay})"
    ]
    lines += [
        f"model.weight.data.fill_({value})\nema.update(model)"
        for value in values[1:]
    ]
    return "\n".join(lines) + "\nema.module.weight"


def recursion(history: list[list[Tensor]], decay: float) -> list[Tensor]:
    averages = [one.double() for one in history[0]]
    for values in history[1:]:
        averages = [
            decay * mine + (1 - decay) * one.double()
            for mine, one in zip(averages, values, strict=True)
        ]
    return averages


def averaged(case: Case, decay: float, tolerance: float = 1e-5) -> None:
    right = recursion(case.history, decay)
    for (name, mine), want in zip(case.got.named_parameters(), right, strict=True):
        close(
            mine,
            want,
            10 * tolerance,
            tolerance,
            of=f"average of {name} after {len(case.history) - 1} updates",
        )


def is_detached(module: nn.Module) -> None:
    for name, one in module.named_parameters():
        true(one.grad_fn is None, f"the average of {name} has a graph", name)
        true(
            not one.requires_grad,
            f"the average of {name} requires a gradient",
            name,
        )


def is_trainable(model: nn.Module) -> None:
    true(
        all(one.training for one in model.modules()),
        "the model is no longer in training mode",
        "mode",
    )
    for name, one in model.named_parameters():
        true(
            one.requires_grad,
            f"{name} of the model no longer requires a gradient",
            name,
        )


@judge.group("the copy")
def the_copy(solution: Solution) -> None:
    case = solution.run(
        NET
        + "model(torch.randn(8, 3)).sum().backward()\nema = EMA(model, 0.9)\nema.module"
    )
    true(
        type(case.got) is nn.Sequential,
        f"module is of type {type(case.got).__name__}, expected Sequential",
        "type",
    )
    names, wanted = [*case.got.state_dict()], [*case.model.state_dict()]
    true(names == wanted, f"module holds {names}, expected {wanted}", "names")
    for (name, mine), theirs in zip(
        case.got.state_dict().items(), case.model.state_dict().values(), strict=True
    ):
        close(mine, theirs, 0, 0, of=name)
        shared = (
            mine.untyped_storage().data_ptr() == theirs.untyped_storage().data_ptr()
        )
        true(not shared, f"{name} shares memory with the model", name)
    is_trainable(case.model)
    true(
        not any(one.training for one in case.got.modules()),
        "module is in training mode",
        "mode",
    )
    is_detached(case.got)


@judge.group("updates of one weight")
def one_weight(solution: Solution) -> None:
    for decay, values in [
        (0.9, (1.0, 2.0)),
        (0.5, (0.0, 4.0, 8.0)),
        (0.0, (1.0, 3.0)),
        (1.0, (1.0, 3.0)),
    ]:
        case = solution.run(moved(decay, *values))
        want = recursion([[torch.tensor([[value]])] for value in values], decay)[0]
        close(case.got, want, 1e-5, 1e-6)


@judge.group("two averages of one model")
def two(solution: Solution) -> None:
    case = solution.run("""
model = nn.Linear(1, 1, bias=False)
model.weight.data.fill_(1.0)
averages = [EMA(model, 0.9), EMA(model, 0.5)]
model.weight.data.fill_(3.0)
for ema in averages:
    ema.update(model)
[ema.module.weight for ema in averages]""")
    for decay, mine, want in zip((0.9, 0.5), case.got, (1.2, 2.0), strict=True):
        close(mine, torch.tensor([[want]]), of=f"average with a decay of {decay}")


@judge.group("updates of a model that trains")
def training(solution: Solution) -> None:
    for decay, steps in ((0.9, 10), (0.5, 3)):
        case = solution.run(
            NET + f"ema = EMA(model, {decay})" + TRAINED.format(steps=steps)
        )
        averaged(case, decay)
        is_detached(case.got)
        true(
            not any(one.training for one in case.got.modules()),
            "module is in training mode",
            "mode",
        )


@judge.group("buffers are copied")
def buffers(solution: Solution) -> None:
    for extra in (
        "",
        'model.register_buffer("seen", torch.zeros(2), persistent=False)\n',
    ):
        change = "model.seen += 5" if extra else ""
        case = solution.run(
            NET
            + extra
            + "ema = EMA(model, 0.9)\n"
            + change
            + TRAINED.format(steps=3)
        )
        for (name, mine), theirs in zip(
            case.got.named_buffers(), case.model.buffers(), strict=True
        ):
            close(mine, theirs, 0, 0, dtype=theirs.dtype, of=name)
            shared = (
                mine.untyped_storage().data_ptr()
                == theirs.untyped_storage().data_ptr()
            )
            true(not shared, f"{name} shares memory with the model", name)


@judge.group("an update writes in place, and later training does not move it")
def in_place(solution: Solution) -> None:
    code = (
        NET
        + 'model.register_buffer("seen", torch.zeros(2), persistent=False)\n'
        + "ema = EMA(model, 0.9)\n"
        + "held = dict([*ema.module.named_parameters(), *ema.module.named_buffers()])\n"
        + "held = {name: one.detach() for name, one in held.items()}"
        + TRAINED.format(steps=2)
    )
    case = solution.run(code)
    for name, one in [*case.got.named_parameters(), *case.got.named_buffers()]:
        true(
            one.data_ptr() == case.held[name].data_ptr(),
            f"the tensor of {name} was replaced",
            name,
        )
    code = (
        NET
        + "ema = EMA(model, 0.9)"
        + TRAINED.format(steps=2).replace("ema.module\n", "")
    )
    code += "kept = {name: one.clone() for name, one in ema.module.state_dict().items()}\n"
    code += (
        "model(torch.randn(8, 3)).sum().backward()\noptimizer.step()\nema.module"
    )
    case = solution.run(code)
    for name, one in case.got.state_dict().items():
        close(one, case.kept[name], 0, 0, of=f"{name} after the model trained on")


@judge.group("the model does not change: values, gradients and modes")
def model_stays(solution: Solution) -> None:
    begun = NET + "model[1].eval()\n"
    begun += "model(torch.randn(8, 3)).square().sum().backward()\n"
    kept = """before = {name: one.clone() for name, one in model.state_dict().items()}
grads = [p.grad.clone() for p in model.parameters()]
modes = [one.training for one in model.modules()]
"""
    stays(solution, begun + kept + "EMA(model, 0.9)")
    begun += "ema = EMA(model, 0.9)\noptimizer.step()\n"
    stays(solution, begun + kept + "ema.update(model)")


def stays(solution: Solution, code: str) -> None:
    case = solution.run(code)
    true(
        [one.training for one in case.model.modules()] == case.modes,
        "the mode of the model, or of a part of it, was changed",
        "mode",
    )
    for name, one in case.model.state_dict().items():
        close(one, case.before[name], 0, 0, of=f"{name} of the model")
    for (name, one), grad in zip(
        case.model.named_parameters(), case.grads, strict=True
    ):
        true(
            one.requires_grad,
            f"{name} of the model no longer requires a gradient",
            name,
        )
        true(one.grad is not None, f"the gradient of {name} is gone", name)
        close(one.grad, grad, 0, 0, of=f"gradient of {name}")


@judge.group("tied weights, and weights that do not require gradients")
def tied(solution: Solution) -> None:
    code = """
torch.manual_seed(1)
model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5))
model[1].weight = model[0].weight
model[1].bias.requires_grad_(False)
model.register_buffer("count", torch.tensor(3))
ema = EMA(model, 0.8)
history = [[p.detach().clone() for p in model.parameters()]]
for _ in range(3):
    for p in model.parameters():
        p.data += torch.randn(p.shape)
    history.append([p.detach().clone() for p in model.parameters()])
    ema.update(model)
ema.module"""
    case = solution.run(code)
    true(
        case.got[0].weight is case.got[1].weight,
        "the tied weights are no longer one parameter",
        "tied",
    )
    averaged(case, 0.8)


@judge.group("float64 and bfloat16")
def dtypes(solution: Solution) -> None:
    for dtype, tolerance in (("float64", 1e-12), ("bfloat16", 4e-3)):
        code = NET.split("optimizer")[0] + f"model = model.to(torch.{dtype})\n"
        code += "optimizer = torch.optim.SGD(model.parameters(), lr=0.5)\nema = EMA(model, 0.7)"
        case = solution.run(
            code
            + TRAINED.format(steps=4).replace(
                "(8, 3)", f"(8, 3, dtype=torch.{dtype})"
            )
        )
        averaged(case, 0.7, tolerance)
        kinds = {one.dtype for one in case.got.parameters()}
        true(
            kinds == {getattr(torch, dtype)},
            f"the averages have {kinds}, expected torch.{dtype}",
            "dtype",
        )


if __name__ == "__main__":
    main(judge)
