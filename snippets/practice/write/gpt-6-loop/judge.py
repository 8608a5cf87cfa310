"""Judge of a training loop with a schedule: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, true

judge = Judge(__file__, names={"fit": "function"}, unproven="speed and memory")
MODEL = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(5, 3))
        self.head = self.weight  # one parameter, under two names
        self.mix, self.norm = nn.Linear(3, 3), nn.LayerNorm(3)
        self.scale = nn.Parameter(torch.rand(3) + 0.5)
        self.filters = nn.Parameter(torch.randn(2, 3, 3))
        self.modes = []

    def loss(self, batch):
        self.modes.append(self.training)
        x = self.norm(self.mix(self.weight[batch[:, :-1]]))
        x = x * self.scale + x @ self.filters[0] @ self.filters[1]
        logits = x @ self.head.T
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        return SCALE * loss

"""


def made(steps: int, scale: float = 1.0, rest: str = "") -> str:
    """The code that makes a model in float64 and batches. scale: of its loss."""
    return f"""SCALE = {scale:g}
{MODEL}
torch.manual_seed(0)
model = Model().double()
batches = list(torch.randint(5, ({steps}, 2, 4)))
{rest}"""


def expected(
    code: str,
    lr: float = 1e-3,
    warmup: int = 10,
    decay: float = 0.1,
    max_norm: float = 1.0,
) -> tuple[nn.Module, list[float]]:
    """The same from AdamW's formulas. The model as it is afterwards, and the losses."""
    names: dict = {"torch": torch, "nn": nn, "F": F}
    with torch.random.fork_rng(devices=[]):
        exec(code, names)
    model, batches = names["model"], names["batches"]
    trained = [one for one in model.parameters() if one.requires_grad]
    first = [torch.zeros_like(one) for one in trained]
    second = [torch.zeros_like(one) for one in trained]
    losses, N = [], len(batches)
    for s, batch in enumerate(batches):
        rate = lr * (s + 1) / warmup
        if s >= warmup:
            rate = lr * (
                0.1 + 0.45 * (1 + math.cos(math.pi * (s - warmup) / (N - warmup)))
            )
        loss = model.train().loss(batch)
        losses.append(float(loss.detach()))
        grads = torch.autograd.grad(loss, trained)
        norm = math.sqrt(sum(float(grad.square().sum()) for grad in grads))
        scale = min(1.0, max_norm / (norm + 1e-6))
        for i, (weight, grad) in enumerate(zip(trained, grads, strict=True)):
            grad = grad * scale
            first[i] = 0.9 * first[i] + 0.1 * grad
            second[i] = 0.95 * second[i] + 0.05 * grad**2
            m = first[i] / (1 - 0.9 ** (s + 1))
            v = second[i] / (1 - 0.95 ** (s + 1))
            kept = 1 - rate * decay if weight.ndim >= 2 else 1.0
            weight.data = weight.data * kept - rate * m / (v.sqrt() + 1e-8)
    return model, losses


def compare(solution: Solution, code: str, **options: float) -> nn.Module:
    rest = "".join(f", {name}={value}" for name, value in options.items())
    case = solution.run(
        code + f"\nfit(model, batches{rest})", writes=["model", "Model"]
    )
    model, losses = expected(code, **options)
    got = case.got
    plain = isinstance(got, list) and all(type(one) is float for one in got)
    true(plain, f"got {got!r}, expected a list of floats", got)
    true(
        len(got) == len(losses),
        f"got {len(got)} losses, expected {len(losses)}",
        len(got),
    )
    right = torch.tensor(losses, dtype=torch.float64)
    close(torch.tensor(got, dtype=torch.float64), right, 1e-6, 1e-8, of="losses")
    for (name, mine), one in zip(
        case.model.named_parameters(), model.parameters(), strict=True
    ):
        close(mine, one, 1e-6, 1e-8, of=f"{name} after {len(losses)} steps")
    return case.model


@judge.group("one step")
def one(solution: Solution) -> None:
    compare(solution, made(1))
    compare(solution, made(1), lr=0.1, warmup=1)


@judge.group("the warm-up")
def warm(solution: Solution) -> None:
    compare(solution, made(2), lr=0.01)
    compare(solution, made(4), lr=0.01, warmup=4)


@judge.group("the cosine")
def cosine(solution: Solution) -> None:
    for steps, warmup in ((2, 1), (6, 2), (9, 3)):
        compare(solution, made(steps), lr=0.02, warmup=warmup)


@judge.group("weight decay, of matrices only")
def decays(solution: Solution) -> None:
    for decay in (0.0, 3.0):
        compare(solution, made(4), lr=0.05, warmup=2, decay=decay)


@judge.group("clipping")
def clips(solution: Solution) -> None:
    for scale, max_norm in ((50.0, 1.0), (1.0, 0.05), (1e-3, 1.0)):
        compare(solution, made(4, scale), lr=0.05, warmup=1, max_norm=max_norm)


@judge.group("frozen parameters, old gradients, and the mode")
def around(solution: Solution) -> None:
    frozen = "model.mix.weight.requires_grad_(False)\nmodel.norm.bias.requires_grad_(False)\n"
    compare(solution, made(3, rest=frozen), lr=0.05, warmup=1)
    old = "model.loss(batches[0]).backward()\n"
    compare(solution, made(3, rest=old), lr=0.05, warmup=1)
    compare(solution, made(3, rest=old + frozen), lr=0.05, warmup=1)
    model = compare(solution, made(3, rest="model.eval()\n"), lr=0.05, warmup=1)
    trained = model.modes == [True] * 3 and model.training
    true(trained, f"the model was trained in the modes {model.modes}", model.modes)


@judge.group("one call of the loss for each step, and none for no batch")
def counted(solution: Solution) -> None:
    model = compare(solution, made(5), lr=0.01, warmup=2)
    calls = len(model.modes)
    true(calls == 5, f"model.loss was called {calls} times for 5 batches", calls)
    compare(solution, made(0))


if __name__ == "__main__":
    main(judge)
