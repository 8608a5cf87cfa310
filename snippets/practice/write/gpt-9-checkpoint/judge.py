"""Judge of a checkpoint: python judge.py my_solution.py"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, same, true

judge = Judge(
    __file__,
    names={"save": "function", "load": "function"},
    unproven="GPUs, several processes",
)
RUN = """
class Model(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.up, self.norm = nn.Linear(3, width), nn.BatchNorm1d(width)
        self.drop, self.down = nn.Dropout(0.5), nn.Linear(width, 1)
    def forward(self, x):
        return self.down(self.drop(torch.tanh(self.norm(self.up(x)))))

def start(seed):
    torch.manual_seed(seed)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    return model, optimizer, torch.Generator().manual_seed(seed)

def train(steps, model, optimizer, generator):
    for _ in range(steps):
        x = torch.randn(8, 3, generator=generator)
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

"""
WRITES = [
    "run",
    "other",
    "start",
    "train",
    "Model",
    "path",
    "Broken",
    "Evil",
    "before",
]


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A path for a checkpoint in a folder of its own, which is removed."""
    with tempfile.TemporaryDirectory(
        prefix="judge-", ignore_cleanup_errors=True
    ) as name:
        yield Path(name, "run.pt")


def in_folder(solution: Solution, code: str) -> tuple[Case, list[str]]:
    """Run a case with such a path; the case, and the files that are left there."""
    with folder() as path:
        case = solution.run(RUN + code, writes=WRITES, path=path)
        return case, sorted(one.name for one in path.parent.iterdir())


@judge.group("a file is written, and read back")
def written(solution: Solution) -> None:
    for step in (0, 7):
        code = f"run = start(0)\ntrain(2, *run)\nsave(path, {step}, *run)\nother = start(1)\nload(path, *other)"
        case, files = in_folder(solution, code)
        same(case.got, step, "the step")
        same(files, ["run.pt"], "files in the folder")
        theirs = case.other[0].state_dict()
        for name, one in case.run[0].state_dict().items():
            close(theirs[name], one, 0, 0, of=name)


@judge.group("torch.load reads it with weights_only=True")
def plain(solution: Solution) -> None:
    with folder() as path:
        code = "run = start(0)\ntrain(2, *run)\nsave(path, 2, *run)"
        solution.run(RUN + code, writes=WRITES, path=path)
        try:
            torch.load(path, weights_only=True)
        except Exception as error:
            true(False, f"torch.load raised {type(error).__name__}", error)


@judge.group("the run goes on as if it had never stopped")
def resumed(solution: Solution) -> None:
    for steps, more in ((1, 1), (3, 4)):
        code = f"""
run = start(0)
train({steps}, *run)
save(path, {steps}, *run)
train({more}, *run)
other = start(1)
load(path, *other)
train({more}, *other)
path"""
        case, _ = in_folder(solution, code)
        theirs = case.other[0].state_dict()
        for name, one in case.run[0].state_dict().items():
            close(theirs[name], one, 0, 0, of=f"{name} after {more} steps more")
        mine, right = (
            case.other[1].state_dict()["state"],
            case.run[1].state_dict()["state"],
        )
        for number, moments in right.items():
            for name, one in moments.items():
                close(
                    mine[number][name],
                    one,
                    0,
                    0,
                    of=f"{name} of parameter {number}",
                )


@judge.group("the optimizer still updates the model, whose parameters are the same")
def same_parameters(solution: Solution) -> None:
    code = """
run = start(0)
train(1, *run)
save(path, 1, *run)
other = start(1)
before = [id(one) for one in other[0].parameters()]
load(path, *other)
[id(one) for one in other[0].parameters()] == before"""
    case, _ = in_folder(solution, code)
    true(
        case.got is True,
        "load has replaced the parameters that the optimizer updates",
        "replaced",
    )


@judge.group("a checkpoint that is whole stays whole if writing fails")
def whole(solution: Solution) -> None:
    code = """
class Broken:
    def __reduce__(self):
        raise OSError("no space is left")

run = start(0)
save(path, 1, *run)
train(1, *run)
run[1].param_groups[0]["note"] = Broken()
try:
    save(path, 2, *run)
except OSError:
    pass
path"""
    case, files = in_folder(solution, code)
    true(
        "run.pt" in files, "writing failed, and the old checkpoint is gone", "gone"
    )
    case, _ = in_folder(
        solution, code.removesuffix("path") + "other = start(1)\nload(path, *other)"
    )
    same(case.got, 1, "the step after writing has failed")


@judge.group("the bytes are on the disk before they stand at path")
def synced(solution: Solution) -> None:
    sizes, early = [], []

    def fsync(number: int) -> None:
        sizes.append(os.fstat(number).st_size)
        if not path.exists():
            early.append(sizes[-1])

    # A solution may have imported it by name.
    owners = [os, *([solution.module] if hasattr(solution.module, "fsync") else [])]
    with folder() as path, contextlib.ExitStack() as patched:
        for owner in owners:
            patched.enter_context(mock.patch.object(owner, "fsync", fsync))
        solution.run(
            RUN + "run = start(0)\nsave(path, 1, *run)", writes=WRITES, path=path
        )
        size = path.stat().st_size
    true(bool(sizes), "os.fsync was not called", "none")
    true(bool(early), "os.fsync was called when the file already stood at path", 0)
    true(
        size in early,
        f"os.fsync was called when {max(early)} of {size} bytes were in the file",
        "early",
    )


@judge.group("a newer checkpoint replaces the older one")
def replaced(solution: Solution) -> None:
    code = "run = start(0)\nsave(path, 1, *run)\ntrain(2, *run)\nsave(path, 2, *run)\nother = start(1)\nload(path, *other)"
    case, files = in_folder(solution, code)
    same(case.got, 2, "the step")
    same(files, ["run.pt"], "files in the folder")
    close(case.other[0].up.weight, case.run[0].up.weight, 0, 0, of="up.weight")


@judge.group("nothing in a file is run")
def not_run(solution: Solution) -> None:
    code = """
class Evil:
    def __reduce__(self):
        return open, (f"{path}.was-run", "w")

other = start(1)
torch.save(Evil(), path)
try:
    load(path, *other)
except Exception:
    pass
path"""
    _, files = in_folder(solution, code)
    same(
        files,
        ["run.pt"],
        "files in the folder after a file was loaded that makes one",
    )


@judge.group("another model is refused")
def refused(solution: Solution) -> None:
    changes = (
        "other[0].more = nn.Linear(2, 2)\n",
        "del other[0].norm\n",
        "other[0].down = nn.Linear(5, 1)\n",
    )
    for change in changes:
        with folder() as path:
            code = (
                "run = start(0)\nsave(path, 1, *run)\nother = start(1)\n"
                + change
                + "load(path, *other)"
            )
            solution.refuses(RUN + code, RuntimeError, writes=WRITES, path=path)


if __name__ == "__main__":
    main(judge)
