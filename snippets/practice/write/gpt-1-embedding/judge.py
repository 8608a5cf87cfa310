"""Judge of a tied embedding: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, normal, same, true

judge = Judge(__file__, names={"TokenEmbedding": "class"})
SIZES = ((5, 3), (4, 4), (9, 2), (1, 1))


def made(V: int, D: int, rest: str) -> str:
    """The code that makes an embedding whose weight is not small."""
    return f"""
torch.manual_seed(0)
embed = TokenEmbedding({V}, {D})
with torch.no_grad():
    embed.weight.copy_(torch.randn({V}, {D}))
tokens = torch.randint({V}, (2, 6))
hidden = torch.randn(2, 3, {D})
{rest}"""


@judge.group("one parameter, weight, of shape (vocabulary, dim)")
def parameters(solution: Solution) -> None:
    for V, D in SIZES:
        case = solution.run(
            f"embed = TokenEmbedding({V}, {D})\n"
            "{name: tuple(p.shape) for name, p in embed.named_parameters()}"
        )
        same(case.got, {"weight": (V, D)}, "parameters")
        same(list(case.embed.state_dict()), ["weight"], "keys of the state dict")
        true(case.embed.weight.requires_grad, "weight is not trained", "frozen")


@judge.group("the start: normal, mean 0, deviation 0.02")
def start(solution: Solution) -> None:
    for seed in (0, 1):
        case = solution.run(
            f"torch.manual_seed({seed})\nTokenEmbedding(500, 64).weight"
        )
        normal(case.got, 0.02, of="weight")


@judge.group("the rows of tokens")
def rows(solution: Solution) -> None:
    for V, D in SIZES:
        case = solution.run(made(V, D, "embed(tokens)"))
        weight = case.embed.weight.detach()
        want = torch.stack(
            [torch.stack([weight[t] for t in row]) for row in case.tokens]
        )
        close(case.got, want, 1e-6, 1e-7)


@judge.group("the logits")
def logits(solution: Solution) -> None:
    for V, D in SIZES:
        case = solution.run(made(V, D, "embed.logits(hidden)"))
        weight = case.embed.weight.detach().double()
        want = (case.hidden.double()[:, :, None] * weight).sum(dim=-1)
        close(case.got, want.float(), 1e-5, 1e-5)


@judge.group("gradients of both uses add up")
def gradients(solution: Solution) -> None:
    code = """
left, right = torch.randn(2, 6, 3), torch.randn(2, 3, 5)
hidden.requires_grad_()
loss = (embed(tokens) * left).sum() + (embed.logits(hidden) * right).sum()
torch.autograd.grad(loss, (embed.weight, hidden))"""
    case = solution.run(made(5, 3, code))
    want = torch.zeros(5, 3, dtype=torch.float64)
    for row, token in zip(
        case.left.flatten(0, 1), case.tokens.flatten(), strict=True
    ):
        want[token] += row.double()
    want += (
        case.right.flatten(0, 1).double().T
        @ case.hidden.detach().flatten(0, 1).double()
    )
    close(case.got[0], want.float(), 1e-4, 1e-5, of="gradient of weight")
    back = case.right.double() @ case.embed.weight.detach().double()
    close(case.got[1], back.float(), 1e-4, 1e-5, of="gradient of hidden")


@judge.group("float64, and no tensor on another device")
def dtypes(solution: Solution) -> None:
    case = solution.run(made(5, 3, "embed.double()(tokens)"))
    close(
        case.got,
        case.embed.weight.detach()[case.tokens],
        1e-9,
        1e-9,
        dtype=torch.float64,
    )
    solution.on_meta(made(5, 3, "embed.to('meta').logits(hidden)"))


if __name__ == "__main__":
    main(judge)
