"""Judge of a training epoch and an evaluation: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

judge = Judge(
    __file__,
    names={"train_epoch": "function", "evaluate": "function"},
    unproven="speed, devices other than the CPU",
)

MODEL = """
torch.manual_seed({seed})
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 5))
x, y = torch.randn({n}, 3), torch.randint(5, ({n},))
batches = list(zip(x.split({size}), y.split({size})))
"""
LOSS = (
    "loss_fn = lambda logits, y: F.cross_entropy(logits, y, label_smoothing=0.2)\n"
)
SGD = "optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)\n"
STALE = "model(x).square().sum().backward()\n"
SPY = """modes, graphs = [], []
model.register_forward_pre_hook(lambda module, args: modes.append([one.training for one in module.modules()]))
model.register_forward_hook(lambda module, args, output: graphs.append(output.requires_grad))
"""
GROUPS = """optimizer = torch.optim.SGD(
    [{"params": model[0].parameters()}, {"params": model[1:].parameters()}], lr=0.3)
"""
TRAIN = "train_epoch(model, {loader}, loss_fn, optimizer{rest})"


def made(n: int = 10, size: int = 4, seed: int = 0) -> str:
    """The code that makes a model, batches and a loss."""
    return MODEL.format(n=n, size=size, seed=seed) + LOSS


def twin(code: str) -> SimpleNamespace:
    """What the code before a case's last line makes, made once more."""
    names: dict = {"torch": torch, "nn": nn, "F": F}
    with torch.random.fork_rng(devices=[]):
        exec(code.strip().rsplit("\n", 1)[0], names)
    return SimpleNamespace(**names)


def stepped(other: SimpleNamespace, max_norm: float | None = None) -> float:
    """Train a twin's model by hand; the mean loss per example."""
    losses: list[float] = []
    parameters = list(other.model.parameters())
    other.model.train()
    for x, y in other.batches:
        loss = other.loss_fn(other.model(x), y)
        grads = torch.autograd.grad(loss, parameters)
        norm = math.sqrt(sum(float(grad.double().square().sum()) for grad in grads))
        scale = 1.0 if max_norm is None else min(1.0, max_norm / norm)
        for parameter, grad in zip(parameters, grads, strict=True):
            parameter.grad = grad * scale
        other.optimizer.step()
        losses += [loss.item()] * len(y)
    return sum(losses) / len(losses)


def number(got: object, expected: float, of: str) -> None:
    """Fail unless ``got`` is a Python float near ``expected``."""
    if isinstance(got, Tensor) and got.requires_grad:
        true(False, f"{of} is a tensor with a graph, expected a float", of)
    true(
        type(got) is float,
        f"{of} is of type {type(got).__name__}, expected float",
        of,
    )
    near = math.isclose(got, expected, rel_tol=1e-5, abs_tol=1e-7)
    true(near, f"{of}: got {got:.6g}, expected {expected:.6g}", of)


def same_model(mine: nn.Module, right: nn.Module) -> None:
    theirs = right.state_dict()
    for name, value in mine.state_dict().items():
        close(value, theirs[name], 1e-4, 1e-5, of=f"{name} after the epoch")


def trained(solution: Solution, code: str, max_norm: float | None = None) -> Case:
    case = solution.run(code)
    other = twin(code)
    loss = stepped(other, max_norm)
    same_model(case.model, other.model)
    number(case.got, loss, "the mean loss per example")
    return case


@judge.group("parameters and loss after one epoch")
def epoch(solution: Solution) -> None:
    for n, size, seed in [(4, 4, 1), (8, 4, 2), (5, 1, 3), (10, 4, 4)]:
        if size == 1:  # batch norm cannot train on one example
            code = made(n, 2, seed).replace("nn.BatchNorm1d(4)", "nn.LayerNorm(4)")
        else:
            code = made(n, size, seed)
        trained(solution, code + SGD + TRAIN.format(loader="batches", rest=""))


@judge.group("gradients from before the call")
def stale(solution: Solution) -> None:
    code = made(seed=5).replace("nn.BatchNorm1d(4)", "nn.LayerNorm(4)")
    trained(solution, code + SGD + STALE + TRAIN.format(loader="batches", rest=""))


@judge.group("max_norm clips the total norm of each step's gradient")
def clipping(solution: Solution) -> None:
    for max_norm in (0.05, 0.3, 100.0):
        code = (
            made(seed=6)
            + SGD
            + TRAIN.format(loader="batches", rest=f", max_norm={max_norm}")
        )
        trained(solution, code, max_norm)
    code = made(seed=6) + GROUPS + TRAIN.format(loader="batches", rest=", 0.3")
    trained(solution, code, 0.3)


@judge.group("a loader that can be iterated only once")
def generator(solution: Solution) -> None:
    trained(
        solution, made(seed=7) + SGD + TRAIN.format(loader="iter(batches)", rest="")
    )


@judge.group("training happens in training mode")
def training_mode(solution: Solution) -> None:
    code = (
        made(seed=8)
        + SGD
        + "model.eval()\n"
        + SPY
        + TRAIN.format(loader="batches", rest="")
    )
    case = solution.run(code, writes=("modes", "graphs"))
    true(
        bool(case.modes) and all(map(all, case.modes)),
        "the model was not in training mode for each batch",
    )
    other = twin(code)
    stepped(other)
    same_model(case.model, other.model)


class Mark:
    """A hook of a graph's last node, which lives as long as the graph."""

    def __call__(self, grads: object) -> None:
        return None


@judge.group("training keeps no graphs of earlier batches")
def graphs(solution: Solution) -> None:
    marks: list[weakref.ref] = []

    def watch(module: nn.Module, inputs: object, output: Tensor) -> None:
        alive = sum(mark() is not None for mark in marks)
        true(
            alive <= 1,
            f"the graphs of {alive} earlier batches are alive in a forward pass",
            "graphs",
        )
        if output.grad_fn is not None:
            mark = Mark()
            output.grad_fn.register_prehook(mark)
            marks.append(weakref.ref(mark))

    code = made(12, 3, seed=8) + SGD + "model.register_forward_hook(watch)\n"
    solution.run(code + TRAIN.format(loader="batches", rest=""), watch=watch)


@judge.group("the numbers of an evaluation")
def evaluation(solution: Solution) -> None:
    for n, size, seed, loader in [
        (4, 4, 1, "batches"),
        (9, 3, 2, "batches"),
        (5, 5, 4, "batches"),
        (10, 4, 3, "iter(batches)"),
    ]:
        code = (
            made(n, size, seed)
            + f"y[0] = model.eval()(x)[0].argmax()\nevaluate(model, {loader}, loss_fn)"
        )
        case = solution.run(code)
        pair = isinstance(case.got, tuple) and len(case.got) == 2
        true(pair, f"got {type(case.got).__name__}, expected a tuple of two floats")
        logits = case.model.eval()(case.x).detach().double()
        number(
            case.got[0],
            case.loss_fn(logits, case.y).item(),
            "the mean loss per example",
        )
        right = sum(
            int(row.argmax()) == int(label)
            for row, label in zip(logits, case.y, strict=True)
        )
        number(case.got[1], right / n, "the accuracy")


@judge.group("an evaluation is in evaluation mode and builds no graph")
def evaluation_mode(solution: Solution) -> None:
    code = made(seed=8) + SPY + "evaluate(model, batches, loss_fn)"
    case = solution.run(code, writes=("modes", "graphs"))
    true(bool(case.modes), "the model was not called")
    true(
        not any(map(any, case.modes)),
        "the model was not in evaluation mode for each batch",
        "mode",
    )
    true(not any(case.graphs), "the model's output has a graph", "graph")


@judge.group("an evaluation changes nothing")
def unchanged(solution: Solution) -> None:
    for mode in ("train", "eval"):
        code = (
            made(seed=9)
            + STALE
            + f"model.{mode}()\nevaluate(model, batches, loss_fn)"
        )
        case = solution.run(code)
        modes = {one.training for one in case.model.modules()}
        true(
            modes == {mode == "train"},
            f"the model was in {mode} mode, and now it is not",
            mode,
        )
        before = twin(code).model
        for name, value in before.state_dict().items():
            close(case.model.state_dict()[name], value, 0, 0, of=name)
        for (name, mine), theirs in zip(
            case.model.named_parameters(), before.parameters(), strict=True
        ):
            true(mine.requires_grad, f"{name} no longer requires a gradient", name)
            true(mine.grad is not None, f"the gradient of {name} is gone", name)
            close(mine.grad, theirs.grad, 0, 0, of=f"gradient of {name}")


if __name__ == "__main__":
    main(judge)
