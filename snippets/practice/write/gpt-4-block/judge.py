"""Judge of a decoder block: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, same, true

judge = Judge(__file__, names={"Block": "class"})
MIX = """
class Mix(nn.Module):
    def __init__(self, D):
        super().__init__()
        self.mix, self.pasts = nn.Linear(D, D, bias=False), []
    def forward(self, x, past=None):
        self.pasts.append(past)
        return self.mix(x).cumsum(dim=1) + (0 if past is None else past)

"""


def made(B: int, T: int, D: int) -> str:
    """The code that makes a block with an attention of another kind, all its weights not small, and x."""
    return (
        MIX
        + f"""
torch.manual_seed(0)
block = Block({D}, Mix({D}))
with torch.no_grad():
    for one in block.parameters():
        one.copy_(torch.randn(one.shape))
x = 2 * torch.randn({B}, {T}, {D}) + 1
"""
    )


def norm(x: Tensor, layer: torch.nn.LayerNorm) -> Tensor:
    centered = x - x.mean(dim=-1, keepdim=True)
    variance = centered.square().mean(dim=-1, keepdim=True)
    unit = centered / (variance + 1e-5).sqrt()
    return unit * layer.weight.double() + layer.bias.double()


def expected(case: Case, past: float = 0.0) -> Tensor:
    """In float64, with the formula of each part."""
    block, x = case.block, case.x.double()
    mixed = norm(x, block.norm_1) @ block.attention.mix.weight.double().T
    total, rows = torch.zeros_like(mixed[:, 0]), []
    for t in range(x.shape[1]):
        total = total + mixed[:, t]
        rows.append(total + past)
    x = x + torch.stack(rows, dim=1)
    wide = norm(x, block.norm_2) @ block.up.weight.double().T
    wide = wide * (1 + torch.erf(wide / math.sqrt(2))) / 2
    return x + wide @ block.down.weight.double().T


@judge.group("the modules and their parameters")
def parameters(solution: Solution) -> None:
    for D in (3, 4):
        case = solution.run(
            MIX + f"block = Block({D}, Mix({D}))\n"
            "{name: tuple(p.shape) for name, p in block.named_parameters()}"
        )
        want = {
            "attention.mix.weight": (D, D),
            "down.weight": (D, 4 * D),
            "norm_1.bias": (D,),
            "norm_1.weight": (D,),
            "norm_2.bias": (D,),
            "norm_2.weight": (D,),
            "up.weight": (4 * D, D),
        }
        same(dict(sorted(case.got.items())), want, "parameters")


@judge.group("numbers against the formula")
def numbers(solution: Solution) -> None:
    for B, T, D in ((1, 1, 2), (2, 3, 4), (3, 2, 5), (2, 2, 2)):
        case = solution.run(made(B, T, D) + "block(x)")
        close(case.got, expected(case).float(), 1e-4, 1e-4)


@judge.group("a network whose values are small")
def small(solution: Solution) -> None:
    # Where the two forms of the GELU differ most.
    code = (
        made(2, 3, 4)
        + "with torch.no_grad():\n    block.down.weight.mul_(100)\nblock(x)"
    )
    case = solution.run(code)
    close(case.got, expected(case).float(), 1e-5, 1e-3)


@judge.group("the past goes to the attention, which is called once")
def past(solution: Solution) -> None:
    case = solution.run(made(2, 3, 4) + "block(x, 7.5)")
    close(case.got, expected(case, 7.5).float(), 1e-4, 1e-4)
    true(
        case.block.attention.pasts == [7.5],
        f"the attention was called with {case.block.attention.pasts}, expected [7.5]",
        case.block.attention.pasts,
    )


@judge.group("gradients of x and of each weight")
def gradients(solution: Solution) -> None:
    code = made(2, 3, 4) + "x.requires_grad_()\nscale = torch.randn(2, 3, 4)\n"
    code += "weights = [x, *block.parameters()]\n"
    code += "torch.autograd.grad((block(x) * scale).sum(), weights)"
    case = solution.run(code)
    want = torch.autograd.grad((expected(case) * case.scale).sum(), case.weights)
    names = ["x", *(name for name, _ in case.block.named_parameters())]
    for name, mine, right in zip(names, case.got, want, strict=True):
        close(mine, right, 1e-3, 1e-3, of=f"gradient of {name}")


@judge.group("float64, and no tensor on another device")
def dtypes(solution: Solution) -> None:
    case = solution.run(
        made(2, 3, 4) + "block, x = block.double(), x.double()\nblock(x)"
    )
    close(case.got, expected(case), 1e-6, 1e-6, dtype=torch.float64)
    solution.on_meta(made(2, 3, 4) + "block.to('meta')(x)")


if __name__ == "__main__":
    main(judge)
