"""Judge of the GRPO loss: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, true

judge = Judge(
    __file__, names={"grpo_loss": "function"}, unproven="speed and memory"
)
CALL = "grpo_loss(log_p, old, ref, rewards, mask"


def made(P: int, G: int, T: int, spread: float = 0.4, seed: int = 0) -> str:
    """The code that makes the arguments. Many ratios are outside of the range; behind an answer stands padding."""
    return f"""
torch.manual_seed({seed})
log_p = -torch.rand({P}, {G}, {T}) - 1
old = log_p + {spread} * torch.randn({P}, {G}, {T})
ref = log_p + {spread} * torch.randn({P}, {G}, {T})
rewards = 10 * torch.randn({P}, {G})
mask = torch.arange({T}) < torch.randint(1, {T + 1}, ({P}, {G}, 1))
"""


def expected(
    log_p: Tensor,
    old: Tensor,
    ref: Tensor,
    rewards: Tensor,
    mask: Tensor,
    clip: float = 0.2,
    beta: float = 0.04,
) -> Tensor:
    """The same in float64, answer by answer and token by token."""
    old, ref, rewards = (
        old.detach().double(),
        ref.detach().double(),
        rewards.detach().double(),
    )
    P, G, T = log_p.shape
    total = torch.zeros((), dtype=torch.float64)
    for p in range(P):
        mean = sum(rewards[p]) / G
        std = (sum((r - mean) ** 2 for r in rewards[p]) / (G - 1)) ** 0.5
        for g in range(G):
            advantage = (rewards[p, g] - mean) / (std + 1e-4)
            tokens = []
            for t in range(T):
                if not mask[p, g, t]:
                    continue
                new = log_p[p, g, t].double()
                ratio = (new - old[p, g, t]).exp()
                low, high = (1 - clip) * advantage, (1 + clip) * advantage
                bounded = (
                    low
                    if ratio < 1 - clip
                    else high
                    if ratio > 1 + clip
                    else ratio * advantage
                )
                plain = ratio * advantage
                gap = ref[p, g, t] - new
                tokens.append(
                    (plain if plain <= bounded else bounded)
                    - beta * (gap.exp() - gap - 1)
                )
            total = total - sum(tokens) / len(tokens)
    return total / (P * G)


def compare(
    solution: Solution, code: str, options: dict[str, float] | None = None
) -> None:
    """Compare the loss and the gradient of log_p."""
    options = options or {}
    call = (
        CALL + "".join(f", {name}={value}" for name, value in options.items()) + ")"
    )
    case = solution.run(code + call)
    close(
        case.got,
        expected(
            case.log_p, case.old, case.ref, case.rewards, case.mask, **options
        ).float(),
        1e-4,
        1e-6,
    )
    code += (
        f"log_p.requires_grad_()\nloss = {call}\ntorch.autograd.grad(loss, log_p)"
    )
    case = solution.run(code)
    right = expected(
        case.log_p, case.old, case.ref, case.rewards, case.mask, **options
    )
    close(
        case.got[0],
        torch.autograd.grad(right, case.log_p)[0],
        1e-3,
        1e-6,
        of="gradient of log_p",
    )


@judge.group("loss and gradient against a loop over answers and tokens")
def numbers(solution: Solution) -> None:
    compare(solution, made(1, 3, 2))
    compare(solution, made(3, 4, 5))
    compare(solution, made(3, 3, 3), {"clip": 0.1})
    compare(solution, made(2, 5, 4), {"clip": 0.3, "beta": 0.5})
    compare(solution, made(4, 2, 6), {"beta": 0.0})


@judge.group("ratios below, in and above the range, for good and bad answers")
def clipping(solution: Solution) -> None:
    code = """
ratio = torch.tensor([0.05, 0.5, 1.1, 2.0, 20.0])
log_p = ratio.log()[:, None, None].repeat(1, 2, 1) - 4
old, ref = torch.full((5, 2, 1), -4.0), log_p.clone()
rewards = torch.tensor([[1.0, 0.0]]).repeat(5, 1)
mask = torch.ones(5, 2, 1, dtype=torch.bool)
"""
    compare(solution, code)


@judge.group("each prompt is a separate group")
def groups(solution: Solution) -> None:
    code = made(3, 4, 5) + "{}" + CALL + ")"
    before = solution.run(code.format("")).got
    close(solution.run(code.format("rewards[1] += 10.0\n")).got, before, 1e-4, 1e-5)


@judge.group("equal and nearly equal rewards")
def equal(solution: Solution) -> None:
    compare(solution, made(1, 3, 2) + "rewards = torch.ones(1, 3)\n")
    compare(solution, made(2, 3, 4) + "rewards[0] = 0.25\n")
    compare(
        solution,
        made(2, 3, 4)
        + "rewards = torch.tensor([[0.0, 0.0, 1e-3], [0.0, 1e-4, 0.0]])\n",
    )


@judge.group("what is outside the mask has no influence")
def outside(solution: Solution) -> None:
    holes = "mask = torch.rand(2, 3, 6) < 0.5\nmask[..., 2] = True\n"
    compare(solution, made(2, 3, 6) + holes)
    code = (
        made(2, 3, 6)
        + "{}log_p.requires_grad_()\nloss = "
        + CALL
        + ")\ntorch.autograd.grad(loss, log_p)"
    )
    before = solution.run(code.format(""))
    for change in (
        "log_p[~mask] = 0.0\nold[~mask] = ref[~mask] = -20.0\n",
        "log_p[~mask] = -20.0\nold[~mask] = -0.5\n",
    ):
        after = solution.run(code.format(change))
        close(after.loss, before.loss.detach(), 1e-5, 1e-7, of="loss")
        close(after.got[0], before.got[0], 1e-5, 1e-7, of="gradient of log_p")


@judge.group("the first step: loss 0, but a gradient")
def first(solution: Solution) -> None:
    code = (
        made(2, 4, 3)
        + "log_p.requires_grad_()\nold, ref = log_p.detach().clone(), log_p.detach().clone()\n"
    )
    case = solution.run(code + f"loss = {CALL})\ntorch.autograd.grad(loss, log_p)")
    right = expected(case.log_p, case.old, case.ref, case.rewards, case.mask)
    close(case.loss, torch.zeros(()), 0.0, 1e-6, of="loss")
    close(
        case.got[0],
        torch.autograd.grad(right, case.log_p)[0],
        1e-3,
        1e-6,
        of="gradient of log_p",
    )


@judge.group("the gradient reaches log_p and nothing else")
def others(solution: Solution) -> None:
    names = ("old", "ref", "rewards")
    code = (
        made(2, 3, 4)
        + "for one in (log_p, old, ref, rewards):\n    one.requires_grad_()\n"
    )
    case = solution.run(
        code
        + f"loss = {CALL})\ntorch.autograd.grad(loss, (log_p, old, ref, rewards), allow_unused=True)"
    )
    true(case.got[0] is not None, "no gradient reaches log_p")
    for name, one in zip(names, case.got[1:], strict=True):
        true(one is None, f"a gradient reaches {name}", one)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made(2, 3, 4) + CALL + ")")


if __name__ == "__main__":
    main(judge)
