"""Judge of a language model of given parts: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, same, true

judge = Judge(__file__, names={"GPT": "class"})
PARTS = """
class Embed(nn.Module):
    def __init__(self, V, D):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(V, D))
    def forward(self, tokens):
        return self.weight[tokens]
    def logits(self, x):
        return x @ self.weight.T

class Places(nn.Module):
    def __init__(self, D):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(40, D))
    def forward(self, x, start=0):
        return x + self.weight[start:start + x.shape[1]]

class Block(nn.Module):
    def __init__(self, D):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(D, D) / D**0.5)
    def forward(self, x, past=None):
        before = 0 if past is None else past.add(x)
        return x + torch.tanh((x.cumsum(dim=1) + before) @ self.weight)

class Past:
    def __init__(self, total, length):
        self.total, self.length = total, length
    def add(self, x):
        before, self.total = self.total, self.total + x.sum(dim=1, keepdim=True)
        self.length += x.shape[1]
        return before

"""


def made(B: int, T: int, V: int, D: int, blocks: int = 2) -> str:
    """The code that makes a model of parts in float64, and tokens."""
    return (
        PARTS
        + f"""
torch.manual_seed(0)
model = GPT(Embed({V}, {D}), Places({D}), [Block({D}) for _ in range({blocks})], nn.LayerNorm({D})).double()
tokens = torch.randint({V}, ({B}, {T}))
"""
    )


def expected(case: Case, start: int = 0, before: list | None = None) -> Tensor:
    """The logits, position by position."""
    model, rows = case.model, []
    x = [
        model.embed.weight[case.tokens[:, t]] + model.places.weight[start + t]
        for t in range(case.tokens.shape[1])
    ]
    for number, block in enumerate(model.blocks):
        total = torch.zeros_like(x[0]) if before is None else before[number][:, 0]
        rows = []
        for one in x:
            total = total + one
            rows.append(one + torch.tanh(total @ block.weight))
        x = rows
    return torch.stack([model.norm(one) @ model.embed.weight.T for one in x], dim=1)


def mean(logits: Tensor, tokens: Tensor, counts: Tensor) -> Tensor:
    found, number = torch.zeros((), dtype=torch.float64), 0
    for b in range(len(tokens)):
        for t in range(1, tokens.shape[1]):
            if counts[b, t]:
                row = logits[b, t - 1]
                found = found + row.logsumexp(0) - row[tokens[b, t]]
                number += 1
    return found / number


@judge.group("the parts and their parameters")
def parameters(solution: Solution) -> None:
    for blocks in (1, 3):
        code = (
            made(1, 2, 5, 3, blocks)
            + "sorted(name for name, _ in model.named_parameters())"
        )
        want = [f"blocks.{i}.weight" for i in range(blocks)]
        want += ["embed.weight", "norm.bias", "norm.weight", "places.weight"]
        same(solution.run(code).got, want, "parameters")


@judge.group("logits without a cache")
def logits(solution: Solution) -> None:
    for B, T, V, D, blocks in ((1, 1, 3, 2, 1), (2, 4, 5, 3, 2), (3, 3, 3, 3, 3)):
        case = solution.run(made(B, T, V, D, blocks) + "model(tokens)")
        close(case.got, expected(case), 1e-6, 1e-6)


@judge.group("logits behind a cache")
def cached(solution: Solution) -> None:
    for T, length, blocks in ((1, 4, 2), (3, 2, 2), (2, 0, 2), (1, 2, 1)):
        code = made(2, T, 5, 3, blocks)
        code += f"totals = torch.randn({blocks}, 2, 1, 3, dtype=torch.float64)\npasts = [Past(one, {length}) for one in totals]\n"
        case = solution.run(code + "model(tokens, pasts)", writes=["pasts"])
        close(case.got, expected(case, length, list(case.totals)), 1e-6, 1e-6)
        lengths = [past.length for past in case.pasts]
        true(
            lengths == [length + T] * blocks,
            f"the caches hold {lengths} tokens, expected {length + T} each",
            lengths,
        )


@judge.group("the loss of all tokens")
def loss(solution: Solution) -> None:
    for B, T, V, D in ((1, 2, 3, 2), (2, 4, 5, 3), (3, 3, 3, 3), (2, 5, 4, 2)):
        case = solution.run(made(B, T, V, D) + "model.loss(tokens)")
        want = mean(
            expected(case),
            case.tokens,
            torch.ones_like(case.tokens, dtype=torch.bool),
        )
        close(case.got, want, 1e-6, 1e-6)


@judge.group("the loss of the tokens that count")
def counted(solution: Solution) -> None:
    for rows in (
        "[[0, 0, 1, 1], [0, 1, 0, 0]]",
        "[[1, 0, 0, 1], [1, 0, 0, 0]]",
        "[[1, 1, 1, 1], [0, 0, 0, 1]]",
    ):
        code = (
            made(2, 4, 5, 3)
            + f"counts = torch.tensor({rows}).bool()\nmodel.loss(tokens, counts)"
        )
        case = solution.run(code)
        close(case.got, mean(expected(case), case.tokens, case.counts), 1e-6, 1e-6)


@judge.group("gradients of every parameter")
def gradients(solution: Solution) -> None:
    code = (
        made(2, 4, 5, 3)
        + "counts = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 0]]).bool()\n"
    )
    code += (
        "torch.autograd.grad(model.loss(tokens, counts), list(model.parameters()))"
    )
    case = solution.run(code)
    right = mean(expected(case), case.tokens, case.counts)
    want = torch.autograd.grad(right, list(case.model.parameters()))
    for (name, _), mine, one in zip(
        case.model.named_parameters(), case.got, want, strict=True
    ):
        close(mine, one, 1e-5, 1e-7, of=f"gradient of {name}")


if __name__ == "__main__":
    main(judge)
