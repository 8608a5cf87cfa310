"""Judge of averaging gradients over ranks: python judge.py my_solution.py"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

INSTEAD = "call the all_reduce that is given"
judge = Judge(
    __file__,
    names={"average_gradients": "function"},
    forbidden={"distributed": INSTEAD, "DistributedDataParallel": INSTEAD},
    unproven="speed, and overlap with the backward pass",
)


class Waits(BaseException):
    """A rank waits in all_reduce for the others."""


def on_ranks(average: Callable, ranks: list[nn.Module]) -> list[nn.Module]:
    """Call ``average`` once for each rank's model, with an ``all_reduce`` that sums over them.

    There are no processes. Each rank runs until its first call whose sum is not known yet. When all ranks wait in one,
    its sum is known, and they begin again from where they were at first.
    """
    before = [
        [
            (p, p.detach().clone(), None if p.grad is None else p.grad.clone())
            for p in model.parameters()
        ]
        for model in ranks
    ]
    trained = [p.numel() for p in ranks[0].parameters() if p.requires_grad]
    sums: list[Tensor] = []
    while True:
        waiting = []
        for model, kept in zip(ranks, before, strict=True):
            for p, value, grad in kept:
                p.data.copy_(value)
                p.grad = None if grad is None else grad.clone()
            waiting.append(_until_it_waits(average, model, sums, len(ranks)))
        shown = [
            "ends"
            if one is None
            else f"calls it with {tuple(one.shape)} of {one.dtype}"
            for one in waiting
        ]
        for rank, one in enumerate(shown):
            call = f"call {len(sums) + 1} of all_reduce"
            differ = f"{call}: rank 0 {shown[0]}, rank {rank} {one}"
            true(
                one == shown[0],
                f"{differ}. The job would hang, or add what does not belong together.",
            )
        tensors = [one for one in waiting if one is not None]
        if not tensors:
            break
        sums.append(sum((one.double() for one in tensors[1:]), tensors[0].double()))
        sent = sum(one.numel() for one in sums)
        most = sum(trained) + len(trained)  # a flag for each parameter is allowed
        true(
            sent <= most,
            f"{sent} numbers are communicated, and gradients have {sum(trained)}",
        )
    for rank, kept in enumerate(before):
        for p, value, _ in kept:
            true(
                value.device.type == "meta" or torch.equal(p, value),
                f"rank {rank}: a parameter's values were changed",
            )
    return ranks


def _until_it_waits(
    average: Callable, model: nn.Module, sums: list[Tensor], world_size: int
) -> Tensor | None:
    """What a rank calls all_reduce with, after as many calls as there are sums; None if it ends before."""
    calls, waits = 0, None

    def all_reduce(tensor: Tensor) -> None:
        nonlocal calls, waits
        true(
            isinstance(tensor, Tensor),
            f"all_reduce was called with {type(tensor).__name__}, expected a Tensor",
        )
        if calls == len(sums):
            waits = tensor.detach().clone()
            raise Waits
        tensor.data.copy_(sums[calls])
        calls += 1

    with contextlib.suppress(Waits):
        average(model, all_reduce, world_size)
    return waits


RUN = "# on_ranks calls it for each rank; its all_reduce sums over them.\non_ranks(average_gradients, ranks)"


def random_gradients(layers: str, world_size: int, change: str = "") -> str:
    """The code that makes the models of all ranks, with random gradients, and averages these."""
    change = f"\n{change.strip()}" if change else ""
    return f"""
torch.manual_seed(0)
ranks = [nn.ModuleDict(dict({layers})) for _ in range({world_size})]
for model in ranks:
    model.load_state_dict(ranks[0].state_dict())
    for p in model.parameters():
        p.grad = torch.randn(p.shape).to(p.dtype){change}
{RUN}"""


def check(case: Case, right: list[dict[str, Tensor | None]]) -> None:
    """Fail unless every rank holds the mean of the ranks' gradients in ``right``, which may lack some."""
    for name, first in case.ranks[0].named_parameters():
        if not first.requires_grad:
            continue
        grads = [one[name] for one in right]
        mean = sum(
            (g.double() for g in grads if g is not None),
            torch.zeros(first.shape, dtype=torch.float64),
        ) / len(grads)
        for rank, model in enumerate(case.ranks):
            grad = model.get_parameter(name).grad
            if grad is None and all(g is None for g in grads):
                continue
            where = f"gradient of {name} on rank {rank} of {len(grads)}"
            true(grad is not None, f"{where}: got None, and another rank had one")
            tolerance = {torch.bfloat16: 1e-2, torch.float64: 1e-12}.get(
                first.dtype, 1e-5
            )
            close(
                grad,
                mean.to(first.dtype),
                tolerance,
                tolerance / 10,
                dtype=first.dtype,
                of=where,
            )


def averaged(
    solution: Solution, layers: str, world_size: int, change: str = ""
) -> Case:
    """Run random gradients and check them."""
    given: list[dict[str, Tensor | None]] = []

    def keeping(average: Callable, ranks: list[nn.Module]) -> list[nn.Module]:
        for model in ranks:
            grads = {name: p.grad for name, p in model.named_parameters()}
            given.append(
                {
                    name: None if grad is None else grad.clone()
                    for name, grad in grads.items()
                }
            )
        return on_ranks(average, ranks)

    case = solution.run(
        random_gradients(layers, world_size, change), on_ranks=keeping
    )
    check(case, given)
    return case


@judge.group("two ranks, mean and not sum")
def two(solution: Solution) -> None:
    averaged(solution, "a=nn.Linear(1, 1, bias=False)", 2)
    averaged(solution, "a=nn.Linear(3, 4)", 2)


@judge.group("the gradient of one process with the whole batch")
def whole_batch(solution: Solution) -> None:
    for world_size in (2, 4):
        code = f"""
import copy
torch.manual_seed(0)
one = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
x, y = torch.randn(8, 3), torch.randn(8, 2)
ranks = [copy.deepcopy(one) for _ in range({world_size})]
for model, inputs, targets in zip(ranks, x.chunk({world_size}), y.chunk({world_size})):
    F.mse_loss(model(inputs), targets).backward()
{RUN}"""
        case = solution.run(code, on_ranks=on_ranks)
        torch.nn.functional.mse_loss(case.one(case.x), case.y).backward()
        check(
            case,
            [{name: p.grad for name, p in case.one.named_parameters()}]
            * world_size,
        )


@judge.group("parameters that a rank did not use")
def unused(solution: Solution) -> None:
    layers = "a=nn.Linear(3, 4), b=nn.Linear(2, 5)"
    averaged(solution, layers, 2, "ranks[1]['b'].weight.grad = None")
    averaged(
        solution,
        layers,
        3,
        "for model in ranks[:2]:\n    model['a'].weight.grad = None",
    )
    averaged(
        solution, layers, 3, "for model in ranks:\n    model['a'].bias.grad = None"
    )
    averaged(
        solution, layers, 2, "for p in ranks[0].parameters():\n    p.grad = None"
    )
    # Zeros are a gradient.
    averaged(
        solution,
        layers,
        2,
        "for model in ranks:\n    model['a'].bias.grad.zero_()",
    )
    # As many and as large gradients on both: nothing hangs.
    layers = "a=nn.Linear(3, 3), b=nn.Linear(3, 3)"
    averaged(
        solution,
        layers,
        2,
        "ranks[0]['a'].weight.grad = None\nranks[1]['b'].weight.grad = None",
    )
    # Two missing gradients of one shape are two tensors.
    averaged(
        solution,
        layers,
        2,
        "for layer in ranks[0].values():\n    layer.weight.grad = None",
    )


@judge.group("parameters at any depth, and a tied one")
def depths(solution: Solution) -> None:
    layers = "a=nn.Sequential(nn.Linear(2, 3), nn.Tanh()), b=nn.Linear(2, 2)"
    own = """
for model in ranks:
    model.scale = nn.Parameter(torch.ones(5))
    model.scale.grad = torch.randn(5)
"""
    averaged(solution, layers, 2, own)
    tie = """
for model in ranks:
    model["b"].weight = model["a"].weight
"""
    averaged(solution, "a=nn.Linear(3, 3), b=nn.Linear(3, 3)", 2, tie)


@judge.group("frozen parameters are not communicated")
def frozen(solution: Solution) -> None:
    freeze = """
for model in ranks:
    for p in model["a"].parameters():
        p.grad = None
        p.requires_grad_(False)
"""
    layers = "a=nn.Linear(3, 4), b=nn.Linear(2, 2)"
    case = averaged(solution, layers, 2, freeze)
    true(
        case.ranks[0]["a"].weight.grad is None,
        "a frozen parameter has a gradient afterwards",
    )
    # On one rank each still has the gradient of an earlier step.
    averaged(
        solution,
        layers,
        2,
        freeze.replace(
            "        p.grad = None\n",
            "        p.grad = None if model is ranks[0] else p.grad\n",
        ),
    )


@judge.group("gradients of several dtypes, and not contiguous")
def dtypes(solution: Solution) -> None:
    layers = "c=nn.Linear(2, 2).bfloat16(), a=nn.Linear(3, 4).double(), b=nn.Linear(3, 2)"
    averaged(solution, layers, 2)
    averaged(
        solution,
        layers,
        2,
        "for p in ranks[1]['a'].parameters():\n    p.grad = None\nranks[0]['c'].bias.grad = None",
    )
    change = "for model in ranks:\n    model['a'].weight.grad = torch.randn(3, 4).T"
    averaged(solution, "a=nn.Linear(3, 4)", 2, change)


@judge.group("a single rank")
def single(solution: Solution) -> None:
    averaged(solution, "a=nn.Linear(3, 2)", 1)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    code = random_gradients(
        "a=nn.Linear(3, 2)", 2, "ranks[1]['a'].weight.grad = None"
    )
    solution.on_meta(code, on_ranks=on_ranks)


if __name__ == "__main__":
    main(judge)
