"""Judge of gradient accumulation: python judge.py my_solution.py"""

from __future__ import annotations

import sys
import weakref
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, same, true

judge = Judge(__file__, names={"accumulated_step": "function"}, unproven="speed")


class Box:
    """Holds what autograd saves for backward, so that one sees when it is freed."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor


class Saved(torch.autograd.graph.saved_tensors_hooks):
    """Counts the tensors that autograd has saved and not yet freed."""

    def __init__(self) -> None:
        self.boxes: list[weakref.ref] = []
        super().__init__(self.pack, lambda box: box.tensor)

    def pack(self, tensor: Tensor) -> Box:
        box = Box(tensor)
        self.boxes.append(weakref.ref(box))
        return box

    def alive(self) -> int:
        return sum(box() is not None for box in self.boxes)


def made(shapes: str, change: str = "", index: str = "") -> str:
    """The code that makes a model, an optimizer that counts its steps, and micro-batches, and takes the step."""
    change = f"\n{change}" if change else ""
    return f"""
import copy
torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(7, 4), nn.Tanh(), nn.Linear(4, 7))
start = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
steps, rows = [], []
optimizer.register_step_post_hook(lambda *_: steps.append(1))
model.register_forward_pre_hook(lambda _, inputs: rows.append(inputs[0].numel()))
micro_batches = [
    (torch.randint(7, shape), torch.randint(7, shape)) for shape in {shapes}
]{change}
accumulated_step(model, optimizer, micro_batches{index})"""


def call(solution: Solution, code: str, **given: object) -> Case:
    return solution.run(
        code, writes=("model", "p", "optimizer", "steps", "rows", "alive"), **given
    )


def expected(case: Case, ignore_index: int) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of one large batch in float64, and the parameters after its step."""
    model = case.start.double()
    pairs = [
        (model(inputs).flatten(0, 1), targets.flatten())
        for inputs, targets in case.micro_batches
    ]
    logits, targets = (torch.cat(parts) for parts in zip(*pairs, strict=True))
    kept = targets != ignore_index
    loss = torch.nn.functional.cross_entropy(logits[kept], targets[kept])
    grads = torch.autograd.grad(loss, list(model.parameters()))
    after = {
        name: p - grad
        for (name, p), grad in zip(model.named_parameters(), grads, strict=True)
    }
    return loss.detach(), after


def check(
    solution: Solution, shapes: str, change: str = "", index: int = -100
) -> Case:
    """Compare the parameters after the step."""
    case = call(
        solution,
        made(shapes, change, "" if index == -100 else f", ignore_index={index}"),
    )
    after = expected(case, index)[1]
    true(
        len(case.steps) == 1,
        f"the optimizer took {len(case.steps)} steps, expected 1",
    )
    for name, p in case.model.named_parameters():
        close(p, after[name].float(), 1e-5, 1e-6, of=f"{name} after the step")
    return case


@judge.group("a single micro-batch")
def single(solution: Solution) -> None:
    check(solution, "[(2, 3)]")
    check(solution, "[(1, 1)]")


@judge.group("one step, with the mean over all tokens")
def several(solution: Solution) -> None:
    check(solution, "[(2, 3), (2, 3)]")
    check(solution, "[(1, 5), (3, 2), (2, 4)]")
    check(solution, "[(1, 1), (2, 6)]")


@judge.group("inputs and targets that are slices of the same tokens")
def slices(solution: Solution) -> None:
    check(
        solution,
        "[(2, 4), (3, 6)]",
        "micro_batches = [(t[:, :-1], t[:, 1:]) for _, t in micro_batches]",
    )


@judge.group("targets that do not count")
def ignored(solution: Solution) -> None:
    check(
        solution,
        "[(2, 4), (2, 4), (1, 3)]",
        "micro_batches[0][1][:, 1:] = -100\nmicro_batches[1][1][0, 0] = -100",
    )
    check(solution, "[(2, 4), (1, 3)]", "micro_batches[0][1][:, 2:] = 0", index=0)
    check(
        solution,
        "[(1, 2), (1, 2)]",
        "micro_batches[0][1][:] = -100\nmicro_batches[1][1][0, 0] = -100",
    )


@judge.group("micro-batches without a token that counts")
def empty(solution: Solution) -> None:
    for which in (1, 0, 2):
        check(
            solution,
            "[(2, 3), (1, 4), (2, 2)]",
            f"micro_batches[{which}][1][:] = -100",
        )


@judge.group("gradients from before")
def stale(solution: Solution) -> None:
    check(
        solution,
        "[(2, 3), (1, 4)]",
        "for p in model.parameters():\n    p.grad = torch.ones_like(p)",
    )


@judge.group("the loss that is returned")
def returned(solution: Solution) -> None:
    for shapes, change in [
        ("[(2, 3)]", ""),
        ("[(1, 5), (3, 2)]", "micro_batches[1][1][:, 0] = -100"),
        ("[(1, 5), (3, 2)]", "micro_batches[1][1][:] = -100"),
    ]:
        case = call(solution, made(shapes, change))
        true(
            type(case.got) is float,
            f"returned {type(case.got).__name__}, expected a float",
            case.got,
        )
        right = expected(case, -100)[0]
        close(torch.tensor(case.got), right.float(), 1e-5, 1e-7, of="loss")


@judge.group("no token counts")
def nothing(solution: Solution) -> None:
    case = call(
        solution,
        made(
            "[(2, 3), (1, 4)]",
            "for _, targets in micro_batches:\n    targets[:] = -100",
        ),
    )
    for name, p in case.model.named_parameters():
        true(bool(p.isfinite().all()), f"{name} is not finite after the step", p)
    true(
        len(case.steps) <= 1,
        f"the optimizer took {len(case.steps)} steps, expected 1 or none",
    )
    same(case.got, 0.0, of="loss")


@judge.group("one micro-batch's graph at a time")
def memory(solution: Solution) -> None:
    saved, alive = Saved(), []
    code = made(
        "[(2, 3), (1, 4), (2, 2)]",
        "model.register_forward_pre_hook(lambda *_: alive.append(saved.alive()))",
    )
    case = call(solution, code, under=saved, saved=saved, alive=alive)
    largest = max(inputs.numel() for inputs, _ in case.micro_batches)
    true(
        max(case.rows) <= largest,
        f"the model got {max(case.rows)} tokens at once, a micro-batch has {largest} at most",
    )
    late = [
        f"{count} at micro-batch {number}"
        for number, count in enumerate(alive)
        if count
    ]
    true(
        not late,
        f"tensors that earlier graphs saved are alive when a forward pass begins: {', '.join(late)}",
    )


if __name__ == "__main__":
    main(judge)
