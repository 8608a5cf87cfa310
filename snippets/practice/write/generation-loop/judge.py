"""Judge of a generation loop: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Failure, Judge, Solution, main, true

judge = Judge(
    __file__, names={"generate": "function"}, unproven="speed, other devices"
)
MODEL = """
class Model(nn.Module):
    def __init__(self, V, D=8):
        super().__init__()
        self.embed, self.place = nn.Embedding(V, D), nn.Embedding(64, D)
        self.mix, self.head = nn.Linear(D, D), nn.Linear(D, V)
        self.drop = nn.Dropout(0.5)
        self.calls = []  # whether each was trained, recorded, and how large

    def forward(self, tokens, positions, mask):
        modes = any(module.training for module in self.modules())
        self.calls.append((modes, torch.is_grad_enabled(), tuple(tokens.shape)))
        x = self.drop(self.embed(tokens) + self.place(positions))
        T = tokens.shape[1]
        seen = mask[:, None, :] & torch.ones(T, T, dtype=torch.bool).tril()
        scores = (self.mix(x) @ x.mT).masked_fill(~seen, -1e9)
        return self.head(x + scores.softmax(-1) @ x)

"""


def made(prompts: list[list[int]], V: int = 7, seed: int = 0) -> str:
    """The code that makes a model in float64, so that no two logits are equal."""
    code = f"torch.manual_seed({seed})\nmodel = Model({V}).double()\nprompts = {prompts}\n"
    return MODEL + code


def expected(case: Case, max_new: int, end: int) -> list[list[int]]:
    """Each prompt alone, without padding."""
    texts = []
    for prompt in case.prompts:
        text = list(prompt)
        while len(text) < len(prompt) + max_new:
            row = torch.tensor([text])
            every = torch.arange(len(text))[None]
            with torch.no_grad():
                logits = case.model.eval()(row, every, row == row)
            text.append(int(logits[0, -1].argmax()))
            if text[-1] == end:
                break
        texts.append(text[len(prompt) :])
    return texts


def compare(
    solution: Solution, code: str, max_new: int = 6, end: int = 0, pad: int = 0
) -> Case:
    case = solution.run(
        code + f"generate(model, prompts, {max_new}, {end}, {pad})",
        writes=["model", "Model"],
    )
    calls = list(case.model.calls)
    right = expected(case, max_new, end)
    true(
        isinstance(case.got, list) and len(case.got) == len(right),
        f"got {case.got!r}, expected a list of {len(right)} lists",
        case.got,
    )
    for number, (mine, want) in enumerate(zip(case.got, right, strict=True)):
        plain = isinstance(mine, list) and all(type(one) is int for one in mine)
        if not plain or mine != want:
            raise Failure(
                f"prompt {number}: got {mine!r}, expected {want}", case.got
            )
    case.calls, case.right = calls, right
    return case


LENGTHS = [[1, 2, 3], [4, 1, 5, 2, 6, 3, 1], [2, 5, 4, 6, 1]]


@judge.group("one prompt")
def one(solution: Solution) -> None:
    for seed in range(2):
        compare(solution, made([[1, 2, 3]], seed=seed), end=-1)
    compare(solution, made([[5]]), max_new=1, end=-1)


@judge.group("prompts of one length")
def equal(solution: Solution) -> None:
    for seed in range(3):
        compare(solution, made([[1, 2], [3, 4], [6, 5]], seed=seed), end=-1)


@judge.group("prompts of different lengths")
def lengths(solution: Solution) -> None:
    for seed in range(3):
        compare(solution, made(LENGTHS, seed=seed), end=-1)
    compare(solution, made([[1], [2, 3, 4, 5, 6, 1, 2, 3]]), end=-1)


@judge.group("texts that end")
def ends(solution: Solution) -> None:
    for seed in range(4):
        compare(solution, made(LENGTHS, seed=seed), max_new=9, end=seed)
        compare(solution, made([[1, 2], [4, 3]], seed=seed), max_new=9, end=2)


@judge.group("prompts that hold the end or the padding")
def held(solution: Solution) -> None:
    for seed in range(2):
        prompts = [[0, 1, 2, 0], [3, 0], [0, 0, 4, 0, 5, 0]]
        compare(solution, made(prompts, seed=seed), end=0, pad=0)
        compare(solution, made(prompts, seed=seed), end=0, pad=3)
        compare(solution, made(LENGTHS, seed=seed), end=-1, pad=seed)


@judge.group("no token, and one token")
def few(solution: Solution) -> None:
    compare(solution, made(LENGTHS), max_new=0)
    compare(solution, made(LENGTHS), max_new=1)


@judge.group("evaluation mode, and no graph")
def modes(solution: Solution) -> None:
    case = compare(solution, made(LENGTHS), end=-1)
    true(
        not any(trained for trained, *_ in case.calls),
        "the model was called in training mode",
        "training",
    )
    true(
        not any(recorded for _, recorded, _ in case.calls),
        "the model was called with gradients enabled, so it made a graph",
        "graph",
    )


@judge.group("the modes are afterwards what they were")
def restored(solution: Solution) -> None:
    for change in ("", "model.eval()\n", "model.drop.eval()\n"):
        for max_new in (0, 3):
            code = made(LENGTHS) + change
            code += "before = [module.training for module in model.modules()]\n"
            code += f"texts = generate(model, prompts, {max_new}, 0, 0)\n"
            code += "[module.training for module in model.modules()]"
            case = solution.run(code, writes=["model", "Model"])
            true(
                case.got == case.before,
                f"the modes of the modules are {case.got}, and were {case.before}",
                case.got,
            )


@judge.group("no call more than needed")
def calls(solution: Solution) -> None:
    for seed in range(3):
        for end in (-1, seed):
            case = compare(solution, made(LENGTHS, seed=seed), max_new=8, end=end)
            most = max(map(len, case.right))
            true(
                len(case.calls) <= most,
                f"the model was called {len(case.calls)} times, and the text that "
                f"got most tokens got {most}",
                len(case.calls),
            )
    case = compare(solution, made(LENGTHS), max_new=0)
    true(
        not case.calls, "the model was called, and no token was asked for", "called"
    )


if __name__ == "__main__":
    main(judge)
