"""Judge of the PPO loss: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

judge = Judge(__file__, names={"ppo_loss": "function"}, unproven="speed and memory")
ARGUMENTS = "log_p, old, values, old_values, last, rewards, mask"


def made(B: int, T: int, spread: float = 0.4, seed: int = 0) -> str:
    """The code that makes the arguments. Many ratios are outside of the range; behind an answer stands padding."""
    return f"""
torch.manual_seed({seed})
old = -torch.rand({B}, {T}) - 2
log_p = old + {spread} * torch.randn({B}, {T})
values, old_values = torch.randn(2, {B}, {T})
last = torch.randn({B}) * (torch.arange({B}) % 2 == 0)
rewards = torch.randn({B}, {T})
mask = torch.arange({T}) < torch.randint(1, {T + 1}, ({B}, 1))
"""


def expected(
    case: Case,
    gamma: float = 1.0,
    lam: float = 0.95,
    clip: float = 0.2,
    value_coef: float = 0.5,
) -> Tensor:
    """The same in float64, answer by answer and token by token; each advantage is the sum over all later deltas."""
    old, old_values, last, rewards = (
        one.detach().double()
        for one in (case.old, case.old_values, case.last, case.rewards)
    )
    tokens = []
    for b in range(len(rewards)):
        n = int(case.mask[b].sum())
        ahead = [*old_values[b, 1:n], last[b]]
        deltas = [
            rewards[b, t] + gamma * ahead[t] - old_values[b, t] for t in range(n)
        ]
        for t in range(n):
            gae = sum((gamma * lam) ** (s - t) * deltas[s] for s in range(t, n))
            tokens.append((b, t, gae))
    mean = sum(gae for *_, gae in tokens) / len(tokens)
    std = (sum((gae - mean) ** 2 for *_, gae in tokens) / len(tokens)) ** 0.5
    total = torch.zeros((), dtype=torch.float64)
    for b, t, gae in tokens:
        advantage = (gae - mean) / (std + 1e-4)
        ratio = (case.log_p[b, t].double() - old[b, t]).exp()
        bounded = ratio
        if advantage > 0 and ratio > 1 + clip:
            bounded = torch.tensor(1 + clip).double()
        if advantage < 0 and ratio < 1 - clip:
            bounded = torch.tensor(1 - clip).double()
        gap = case.values[b, t].double() - (gae + old_values[b, t])
        total = total - bounded * advantage + value_coef * gap**2
    return total / len(tokens)


def compare(solution: Solution, code: str, **options: float) -> None:
    """Compare the loss and the gradients of log_p and of values; nothing else may have one."""
    rest = "".join(f", {name}={value}" for name, value in options.items())
    code += "for one in (log_p, old, values, old_values, last, rewards):\n"
    code += f"    one.requires_grad_()\nloss = ppo_loss({ARGUMENTS}{rest})\n"
    case = solution.run(
        code + "torch.autograd.grad(loss, (log_p, values, old, old_values, last,\n"
        "                           rewards), allow_unused=True)"
    )
    right = expected(case, **options)
    close(case.loss, right.float(), 1e-4, 1e-5, of="loss")
    wanted = torch.autograd.grad(
        right, (case.log_p, case.values), allow_unused=True
    )
    for name, mine, want, one in zip(
        ("log_p", "values"), case.got, wanted, (case.log_p, case.values)
    ):
        want = torch.zeros_like(one) if want is None else want
        true(mine is not None, f"no gradient reaches {name}")
        close(mine, want.float(), 1e-3, 1e-6, of=f"gradient of {name}")
    for name, mine in zip(
        ("old_log_p", "old_values", "last_values", "rewards"), case.got[2:]
    ):
        true(mine is None, f"a gradient reaches {name}", mine)


@judge.group("one answer of a few tokens that ended by itself")
def one_answer(solution: Solution) -> None:
    for T in (2, 4):
        ended = "last = torch.zeros(1)\nmask[:] = True\n"
        code = made(1, T) + ended + f"ppo_loss({ARGUMENTS})"
        case = solution.run(code)
        close(case.got, expected(case).float(), 1e-4, 1e-5)


@judge.group("answers that were cut off")
def cut(solution: Solution) -> None:
    for B, T in ((1, 3), (3, 4)):
        code = made(B, T) + f"last = torch.randn({B})\nmask[:] = True\n"
        case = solution.run(code + f"ppo_loss({ARGUMENTS})")
        close(case.got, expected(case).float(), 1e-4, 1e-5)


@judge.group("answers of different lengths")
def lengths(solution: Solution) -> None:
    for B, T, seed in ((2, 3, 0), (3, 5, 1), (4, 4, 2), (2, 7, 3)):
        case = solution.run(made(B, T, seed=seed) + f"ppo_loss({ARGUMENTS})")
        close(case.got, expected(case).float(), 1e-4, 1e-5)


@judge.group("what stands behind an answer does not count")
def padding(solution: Solution) -> None:
    code = made(3, 5, seed=1) + "{}" + f"ppo_loss({ARGUMENTS})"
    before = solution.run(code.format("")).got
    for name in ("rewards", "values", "old_values"):
        change = f"{name}[~mask] = 1e6\n"
        close(solution.run(code.format(change)).got, before, 1e-5, 1e-6)
    change = "log_p[~mask], old[~mask] = 0.0, -20.0\n"
    close(solution.run(code.format(change)).got, before, 1e-5, 1e-6)


@judge.group("gamma, lambda, clip and the weight of the critic")
def options(solution: Solution) -> None:
    for one in (
        {"gamma": 0.9},
        {"lam": 0.5},
        {"lam": 0.0},
        {"gamma": 0.8, "lam": 1.0},
        {"clip": 0.05},
        {"value_coef": 2.0},
        {"value_coef": 0.0},
    ):
        rest = "".join(f", {name}={value}" for name, value in one.items())
        case = solution.run(made(3, 5, seed=1) + f"ppo_loss({ARGUMENTS}{rest})")
        close(case.got, expected(case, **one).float(), 1e-4, 1e-5)


@judge.group("gradients: of log_p and values, and of nothing else")
def gradients(solution: Solution) -> None:
    compare(solution, made(1, 2))
    compare(solution, made(3, 5, seed=1), gamma=0.9)
    compare(solution, made(4, 6, spread=1.5, seed=2), clip=0.3)


@judge.group("each of the eight corners of the clip")
def corners(solution: Solution) -> None:
    code = """
log_p = torch.tensor([[-1.0, -1.0, -1.0, -1.0, -1.0, -1.0]])
old = log_p + torch.tensor([[0.5, 0.1, -0.5, 0.5, 0.1, -0.5]])
values, old_values, last = torch.zeros(1, 6), torch.zeros(1, 6), torch.zeros(1)
rewards = torch.tensor([[1.0, 1.0, 1.0, -1.0, -1.0, -1.0]])
mask = torch.ones(1, 6, dtype=torch.bool)
"""
    compare(solution, code, lam=0.0)


@judge.group("one token in the batch")
def one_token(solution: Solution) -> None:
    compare(solution, made(1, 1))
    compare(solution, made(1, 3) + "mask[:, 1:] = False\n")


@judge.group("an empty column, and a row that is full")
def shapes(solution: Solution) -> None:
    code = (
        made(3, 4, seed=1)
        + "mask = torch.arange(4) < torch.tensor([[3], [1], [3]])\n"
    )
    compare(solution, code)
    code = (
        made(2, 4, seed=1) + "mask = torch.arange(4) < torch.tensor([[4], [2]])\n"
    )
    compare(solution, code)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made(2, 4) + f"ppo_loss({ARGUMENTS})")


if __name__ == "__main__":
    main(judge)
