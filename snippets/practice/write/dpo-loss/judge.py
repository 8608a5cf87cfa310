"""Judge of the DPO loss: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, true

judge = Judge(__file__, names={"dpo_loss": "function"}, unproven="speed and memory")
CALL = "dpo_loss(policy, reference, tokens, completion"


def made(
    B: int, T: int, V: int, prompt: int, scale: float = 1.0, seed: int = 0
) -> str:
    """The code that makes the arguments; answers are of different lengths, and behind them stands padding."""
    times = "" if scale == 1 else f" * {scale:g}"
    return f"""
torch.manual_seed({seed})
policy = torch.randn({2 * B}, {T}, {V}){times}
reference = torch.randn({2 * B}, {T}, {V}){times}
tokens = torch.randint({V}, ({2 * B}, {T}))
end = torch.randint({prompt + 1}, {T + 1}, ({2 * B}, 1))
completion = (torch.arange({T}) >= {prompt}) & (torch.arange({T}) < end)
"""


def expected(
    policy: Tensor,
    reference: Tensor,
    tokens: Tensor,
    completion: Tensor,
    beta: float = 0.1,
) -> Tensor:
    """The same in float64, pair by pair and token by token."""

    def total(logits: Tensor, row: int) -> Tensor:
        found = torch.zeros((), dtype=torch.float64)
        for t in range(1, tokens.shape[1]):
            if completion[row, t]:
                found = (
                    found
                    + logits[row, t - 1].double().log_softmax(0)[tokens[row, t]]
                )
        return found

    losses, B = [], len(tokens) // 2
    for i in range(B):
        chosen = total(policy, i) - total(reference.detach(), i)
        rejected = total(policy, B + i) - total(reference.detach(), B + i)
        losses.append(-F.logsigmoid(beta * (chosen - rejected)))
    return torch.stack(losses).mean()


@judge.group("numbers against a loop over pairs and tokens")
def numbers(solution: Solution) -> None:
    for B, T, V, prompt, beta in [
        (1, 4, 3, 2, 1.0),
        (1, 2, 2, 1, None),
        (3, 5, 7, 2, None),
        (2, 4, 4, 1, 0.5),
        (4, 6, 3, 1, 1.0),
    ]:
        code = (
            made(B, T, V, prompt) + CALL + (")" if beta is None else f", {beta})")
        )
        case = solution.run(code)
        right = expected(
            case.policy,
            case.reference,
            case.tokens,
            case.completion,
            0.1 if beta is None else beta,
        )
        close(case.got, right.float(), 1e-4, 1e-6)


@judge.group("the loss is log 2 where the policy is the reference")
def start(solution: Solution) -> None:
    case = solution.run(
        made(3, 5, 7, 2) + "dpo_loss(policy, policy.clone(), tokens, completion)"
    )
    close(case.got, torch.tensor(math.log(2)), 1e-6, 1e-6)


@judge.group("logits that predict the prompt or padding do not count")
def others(solution: Solution) -> None:
    code = made(3, 6, 7, 3) + "{}" + CALL + ")"
    before = solution.run(code.format("")).got
    for change in (
        "policy[:, :2] = 3 * torch.randn(7)",
        "policy[:, -1] = 3 * torch.randn(7)",
    ):
        close(solution.run(code.format(change + "\n")).got, before, 1e-6, 1e-7)
    case = solution.run(code.format("tokens[~completion] = 0\n"))
    close(case.got, before, 1e-6, 1e-7)


@judge.group("prompts of any length, answers in parts or empty")
def masks(solution: Solution) -> None:
    first = (
        "start = torch.tensor([[1], [4], [2]]).repeat(2, 1)\n"
        "completion = torch.arange(7) >= start\n"
    )
    parts = first + "completion[0, 3] = completion[4, 5] = False\n"
    for change in (first, parts, first + "completion[1] = False\n"):
        case = solution.run(made(3, 7, 5, 1) + change + CALL + ", 1.0)")
        right = expected(
            case.policy, case.reference, case.tokens, case.completion, 1.0
        )
        close(case.got, right.float(), 1e-4, 1e-6)


def gradient(solution: Solution, code: str, beta: float) -> None:
    """Compare the gradient of the policy's logits; the reference's must have none."""
    code += f"policy.requires_grad_()\nreference.requires_grad_()\nloss = {CALL}, {beta})\n"
    case = solution.run(
        code + "torch.autograd.grad(loss, (policy, reference), allow_unused=True)"
    )
    right = expected(
        case.policy, case.reference, case.tokens, case.completion, beta
    )
    close(case.loss, right.float(), of="loss")
    (want,) = torch.autograd.grad(right, case.policy)
    mine, other = case.got
    true(mine is not None, "no gradient reaches the policy's logits")
    close(mine, want, 1e-3, 1e-6, of="gradient of policy_logits")
    true(other is None, "a gradient reaches the reference's logits", other)


@judge.group("gradients: of the policy's logits only")
def gradients(solution: Solution) -> None:
    gradient(solution, made(1, 3, 4, 1), 1.0)
    gradient(solution, made(3, 5, 7, 2), 0.5)


@judge.group("margins of plus and minus a thousand")
def large(solution: Solution) -> None:
    for row, margin in ((0, "-1000"), (1, "1000")):
        logits = f"policy = torch.zeros(2, 2, 3)\npolicy[{row}, 0, 1] = 1000.0\nreference = torch.zeros(2, 2, 3)\n"
        rest = "tokens = torch.zeros(2, 2, dtype=torch.int64)\ncompletion = torch.tensor([[False, True]] * 2)\n"
        gradient(solution, f"# a margin of about {margin}\n" + logits + rest, 1.0)
    gradient(solution, made(3, 5, 7, 2, scale=200.0), 1.0)


@judge.group("bfloat16 logits, computed in float32")
def dtypes(solution: Solution) -> None:
    code = (
        made(3, 24, 11, 2, scale=2.0)
        + "policy, reference = policy.bfloat16(), reference.bfloat16()\n"
    )
    case = solution.run(code + CALL + ", 1.0)")
    right = expected(case.policy, case.reference, case.tokens, case.completion, 1.0)
    close(case.got, right, 1e-4, 1e-4)
    true(
        case.got.dtype in (torch.float32, torch.float64),
        f"got dtype {case.got.dtype}, expected float32",
        case.got,
    )


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made(2, 4, 5, 1) + CALL + ")")


if __name__ == "__main__":
    main(judge)
