"""Judge of a reward model's loss: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

judge = Judge(
    __file__, names={"reward_model_loss": "function"}, unproven="speed and memory"
)
CALL = "reward_model_loss(hidden, head, mask"


def made(B: int, T: int, D: int, side: str = "right", seed: int = 0) -> str:
    """The code that makes the arguments. side: where the padding is."""
    place = {
        "right": f"mask = at < torch.randint(1, {T + 1}, ({2 * B}, 1))",
        "left": f"mask = at >= torch.randint({T}, ({2 * B}, 1))",
        "none": f"mask = (at >= 0).expand({2 * B}, {T})",
        "both": f"start = torch.randint({max(1, T - 2)}, ({2 * B}, 1))\n"
        f"mask = (at >= start) & (at <= start + torch.randint(3, ({2 * B}, 1)))",
    }[side]
    return f"""
torch.manual_seed({seed})
hidden = torch.randn({2 * B}, {T}, {D})
head = torch.randn({D})
at = torch.arange({T})
{place}
"""


def expected(case: Case, center: float = 0.01) -> tuple[Tensor, float]:
    """The same in float64, pair by pair; the sigmoid's logarithm in the form that fits the sign."""
    rewards = []
    for row, kept in zip(case.hidden, case.mask, strict=True):
        last = max(t for t in range(len(kept)) if kept[t])
        rewards.append((row[last].double() * case.head.double()).sum())
    losses, right, B = [], 0.0, len(rewards) // 2
    for good, bad in zip(rewards[:B], rewards[B:], strict=True):
        margin = good - bad
        if margin > 0:
            log_p = -torch.log1p((-margin).exp())
        else:
            log_p = margin - torch.log1p(margin.exp())
        losses.append(-log_p + center * (good + bad) ** 2)
        right += 1.0 if good > bad else 0.5 if good == bad else 0.0
    return torch.stack(losses).mean(), right / B


def compare(
    solution: Solution, code: str, center: float | None = None, near: float = 1e-4
) -> None:
    """Compare both results, and the gradients of hidden and head."""
    rest = "" if center is None else f", {center}"
    code += f"hidden.requires_grad_()\nhead.requires_grad_()\nloss, accuracy = {CALL}{rest})\n"
    case = solution.run(
        code + "torch.autograd.grad(loss, (hidden, head), allow_unused=True)"
    )
    right, share = expected(case, 0.01 if center is None else center)
    close(case.loss, right.float(), near, near / 10, of="loss")
    close(case.accuracy, torch.tensor(share), 1e-6, 1e-6, of="accuracy")
    true(not case.accuracy.requires_grad, "the accuracy has a graph", "graph")
    wanted = torch.autograd.grad(right, (case.hidden, case.head))
    for name, mine, want in zip(("hidden", "head"), case.got, wanted, strict=True):
        true(mine is not None, f"no gradient reaches {name}")
        close(mine, want, 10 * near, near / 10, of=f"gradient of {name}")


def results(solution: Solution, code: str, rest: str = "") -> Case:
    """Compare both results, without gradients."""
    case = solution.run(code + CALL + rest + ")")
    true(
        isinstance(case.got, tuple) and len(case.got) == 2,
        f"got {type(case.got).__name__}, expected a tuple of loss and accuracy",
        case.got,
    )
    right, share = expected(case, float(rest.strip(", ")) if rest else 0.01)
    close(case.got[0], right.float(), 1e-4, 1e-6, of="loss")
    close(case.got[1], torch.tensor(share), 1e-6, 1e-6, of="accuracy")
    return case


@judge.group("one pair without padding")
def one_pair(solution: Solution) -> None:
    for T, D in ((1, 2), (3, 4)):
        results(solution, made(1, T, D, "none"))


@judge.group("pairs with padding on the right")
def right(solution: Solution) -> None:
    for B, T, D in ((1, 3, 2), (3, 5, 4), (4, 4, 1)):
        results(solution, made(B, T, D))


@judge.group("padding on the left, and on both sides")
def left(solution: Solution) -> None:
    for B, T, D in ((1, 3, 2), (3, 5, 4), (4, 4, 1)):
        results(solution, made(B, T, D, "left"))
        results(solution, made(B, T, D, "both", seed=1))


@judge.group("the weight of the penalty")
def penalty(solution: Solution) -> None:
    for center in ("0.0", "1.0", "0.3"):
        results(solution, made(3, 4, 3), f", {center}")


@judge.group("only the last token counts")
def others(solution: Solution) -> None:
    code = made(3, 5, 4, "both") + "{}" + CALL + ")"
    before = solution.run(code.format("")).got
    change = (
        "last = (mask * at).amax(dim=1, keepdim=True)\nhidden[at != last] = 1e6\n"
    )
    after = solution.run(code.format(change)).got
    close(after[0], before[0], 1e-6, 1e-7, of="loss")
    close(after[1], before[1], 0, 0, of="accuracy")


@judge.group("equal rewards")
def ties(solution: Solution) -> None:
    code = made(4, 3, 2, "none")
    results(solution, code + "hidden[4:] = hidden[:4]\n")
    results(solution, code + "hidden[5:7] = hidden[1:3]\n")


@judge.group("gradients: of the hidden states and of the head")
def gradients(solution: Solution) -> None:
    compare(solution, made(1, 2, 3))
    compare(solution, made(3, 5, 4, "both"), 0.5)


@judge.group("margins of plus and minus a thousand")
def large(solution: Solution) -> None:
    for factor in (500.0, -500.0):
        code = f"""
hidden = torch.tensor([[[{factor}]], [[{-factor}]]])
head, mask = torch.ones(1), torch.ones(2, 1, dtype=torch.bool)
"""
        compare(solution, code)
    compare(solution, made(3, 4, 5) + "head = 100 * head\n")


@judge.group("bfloat16, computed in float32")
def dtypes(solution: Solution) -> None:
    code = made(3, 4, 64) + "hidden, head = hidden.bfloat16(), head.bfloat16()\n"
    case = solution.run(code + CALL + ")")
    want, share = expected(case)
    true(
        case.got[0].dtype in (torch.float32, torch.float64),
        f"the loss is {case.got[0].dtype}, expected float32 or float64",
        case.got[0],
    )
    close(case.got[0], want.float(), 1e-3, 1e-4, of="loss")
    close(case.got[1], torch.tensor(share), 1e-6, 1e-6, of="accuracy")


@judge.group("the loss is log 2 where both answers are the same")
def start(solution: Solution) -> None:
    case = solution.run(
        made(2, 3, 4, "none") + "hidden[2:] = hidden[:2]\n" + CALL + ", 0.0)"
    )
    close(case.got[0], torch.tensor(math.log(2)), 1e-6, 1e-6, of="loss")


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made(2, 4, 3) + CALL + ")")


if __name__ == "__main__":
    main(judge)
