"""Judge of AdamW: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor
from torch.optim import AdamW as Torchs

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

INSTEAD = "write the update yourself"
judge = Judge(
    __file__,
    names={"AdamW": "class"},
    forbidden={"optim": INSTEAD, "_fused_adamw_": INSTEAD, "_fused_adam_": INSTEAD},
    unproven="speed",
)


def made(
    shapes: str,
    steps: int,
    options: str = "",
    scale: float = 1.0,
    change: str = "",
    dtype: str = "float32",
    given="params",
) -> str:
    """The code that makes parameters and the gradients of all steps, and takes the steps."""
    change = f"\n{change}" if change else ""
    options = f", {options}" if options else ""
    return f"""
torch.manual_seed(0)
params = [torch.randn(shape, dtype=torch.{dtype}).requires_grad_() for shape in {shapes}]
grads = [[{scale} * torch.randn_like(p) for p in params] for _ in range({steps})]
grads = [[grad.detach() for grad in step] for step in grads]{change}
def train():
    optimizer, path = AdamW({given}{options}), [[p.detach().clone() for p in params]]
    for step in grads:
        for p, grad in zip(params, step):
            p.grad = grad
        optimizer.step()
        path.append([p.detach().clone() for p in params])
    return optimizer, path
train()"""


def check(solution: Solution, *args: object, **made_of: object) -> Case:
    """Compare the parameters after every step with torch's, in float64."""
    case = solution.run(made(*args, **made_of), writes=("params",))
    options = made_of.get("options", args[2] if len(args) > 2 else "")
    start, *path = case.got[1]
    params = [p.double().requires_grad_() for p in start]
    theirs = Torchs(params, **(given := eval(f"dict({options})")))
    # Of the size of a step: a count of steps in float32 rounds 1 - beta ** count.
    atol = 3e-4 * given.get("lr", 1e-3)
    for number, (step, mine) in enumerate(zip(case.grads, path, strict=True), 1):
        for p, grad in zip(params, step, strict=True):
            p.grad = None if grad is None else grad.double()
        theirs.step()
        for i, (p, own) in enumerate(zip(params, mine, strict=True)):
            close(
                own,
                p.to(own.dtype),
                1e-5,
                atol,
                of=f"parameter {i} after step {number}",
            )
    for p, grad in zip(case.params, case.grads[-1], strict=True):
        true(
            p.grad is grad or (p.grad is not None and torch.equal(p.grad, grad)),
            "step changed p.grad",
            p.grad,
        )
        true(
            p.dtype == start[0].dtype,
            f"a parameter is of {p.dtype}, and was of {start[0].dtype}",
        )
        true(
            p.requires_grad and p.is_leaf,
            "a parameter does not require a gradient any more, or is no leaf",
        )
    return case


def tensors(value: object, seen: set[int]) -> list[Tensor]:
    """All tensors that an object holds."""
    if id(value) in seen:
        return []
    seen.add(id(value))
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        return [
            one
            for pair in value.items()
            for part in pair
            for one in tensors(part, seen)
        ]
    if isinstance(value, (list, tuple, set)):
        return [one for part in value for one in tensors(part, seen)]
    return (
        tensors(vars(value), seen)
        if hasattr(value, "__dict__") and not isinstance(value, type)
        else []
    )


@judge.group("the first step of a single parameter")
def first(solution: Solution) -> None:
    for scale in (1.0, 1e-3, 1e3):
        check(
            solution, "[(1,)]", 1, scale=scale, options="lr=0.1, weight_decay=0.0"
        )
    check(solution, "[(2, 3)]", 1, options="lr=0.1, weight_decay=0.5")


@judge.group("twenty steps of torch.optim.AdamW")
def twenty(solution: Solution) -> None:
    check(solution, "[(3, 4)]", 20, options="lr=0.1")
    check(solution, "[(3, 4), (5,), ()]", 20)


@judge.group("learning rate, betas, eps and decay")
def options(solution: Solution) -> None:
    for chosen in (
        "lr=0.1, betas=(0.8, 0.95)",
        "lr=0.1, eps=0.5",
        "lr=0.1, weight_decay=0.0",
        "lr=0.1, weight_decay=0.5",
        "lr=0.01, betas=(0.5, 0.9), eps=1e-3, weight_decay=0.1",
    ):
        check(solution, "[(3, 4), (3, 4)]", 6, options=chosen)


@judge.group("tiny gradients")
def tiny(solution: Solution) -> None:
    check(solution, "[(3, 4)]", 3, scale=1e-6, options="lr=0.1")
    check(solution, "[(3, 4)]", 3, scale=1e-8, options="lr=0.1")


@judge.group("a parameter without a gradient in some steps")
def missing(solution: Solution) -> None:
    change = "for step in grads[1::3]:\n    step[1] = None"
    check(
        solution,
        "[(3, 4), (2,)]",
        7,
        options="lr=0.1, weight_decay=0.5",
        change=change,
    )
    # One of zeros counts: the averages go on, and the parameter decays.
    check(
        solution,
        "[(3, 4), (2,)]",
        5,
        options="lr=0.1, weight_decay=0.5",
        change="for step in grads[::2]:\n    step[1] = torch.zeros(2)",
    )
    change = "for step in grads[:2]:\n    step[0] = None"
    check(
        solution,
        "[(3, 4), (2,)]",
        5,
        options="lr=0.1, weight_decay=0.5",
        change=change,
    )


@judge.group("parameters come from a generator")
def generator(solution: Solution) -> None:
    check(
        solution, "[(3, 4), (2,)]", 3, options="lr=0.1", given="(p for p in params)"
    )


@judge.group("zero_grad, and the memory of the parameters")
def zero(solution: Solution) -> None:
    code = """
torch.manual_seed(0)
layer = nn.Linear(3, 2)
idle = torch.ones(2, requires_grad=True)
where = [p.data_ptr() for p in layer.parameters()]
start = [p.detach().clone() for p in layer.parameters()]
def train():
    optimizer = AdamW([*layer.parameters(), idle], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        layer(torch.ones(4, 3)).square().mean().backward()
        optimizer.step()
    optimizer.zero_grad()
    return [p.grad for p in (*layer.parameters(), idle)]
train()"""
    case = solution.run(code, writes=("layer", "idle"))
    for grad in case.got:
        true(
            grad is None or not grad.any(),
            "a gradient is neither None nor zero after zero_grad",
            grad,
        )
    theirs = torch.nn.Linear(3, 2)
    for p, one in zip(theirs.parameters(), case.start, strict=True):
        p.data.copy_(one)
    optimizer = Torchs(theirs.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        theirs(torch.ones(4, 3)).square().mean().backward()
        optimizer.step()
    for i, (p, own) in enumerate(
        zip(theirs.parameters(), case.layer.parameters(), strict=True)
    ):
        close(own, p, 1e-4, 1e-4, of=f"parameter {i} after 3 steps with zero_grad")
    now = [p.data_ptr() for p in case.layer.parameters()]
    true(
        now == case.where,
        "a parameter's memory is not the one that it had: its values have to change in place",
    )
    true(
        torch.equal(case.idle, torch.ones(2)),
        "a parameter without a gradient has changed",
        case.idle,
    )


@judge.group("the state does not grow, and holds no graph")
def state(solution: Solution) -> None:
    counts = []
    for steps in (2, 6):
        case = solution.run(made("[(3, 4), (2,)]", steps), writes=("params",))
        held = [
            one
            for one in tensors(case.got[0], set())
            if not any(one is p for p in case.params)
        ]
        counts.append(len(held))
        graph = any(one.grad_fn is not None for one in held)
        true(
            not graph,
            "the state has a graph, which keeps the tensors of all steps alive",
        )
    true(
        counts[0] == counts[1],
        f"the optimizer holds {counts[0]} tensors after 2 steps, and {counts[1]} after 6",
    )


@judge.group("float64")
def double(solution: Solution) -> None:
    check(solution, "[(3, 4), (2,)]", 5, options="lr=0.1", dtype="float64")


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made("[(3, 4)]", 2), writes=("params",))


if __name__ == "__main__":
    main(judge)
