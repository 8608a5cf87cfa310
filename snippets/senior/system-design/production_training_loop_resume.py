# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

AGAIN = 75  # exit code: stopped, start me again; 0 would say finished


def batch(step: int) -> tuple[Tensor, Tensor]:
    """The batch of a step, from its number alone: no loader has a position."""
    generator = torch.Generator().manual_seed(step)
    x = torch.randn(16, 8, generator=generator)
    return x, x.sum(1, keepdim=True)


def write_atomically(state: dict, path: Path) -> None:
    """A crash leaves the old file or the new one, never half of one."""
    with open(temporary := path.with_suffix(".tmp"), "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


class Run:
    """Everything that the next step reads, in one place."""

    def __init__(self, folder: Path) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(), nn.Linear(16, 1))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.01)
        self.step, self.bad = 0, 0  # steps done; bad steps in a row
        self.file, self.log = folder / "run.pt", folder / "log.txt"
        if self.file.exists():
            state = torch.load(self.file)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.step, self.bad = state["step"], state["bad"]
            torch.set_rng_state(state["random"])
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.write_text("".join(f"{x}\n" for x in lines[: self.step]))

    def save(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "bad": self.bad,
            "random": torch.get_rng_state(),
        }
        write_atomically(state, self.file)


def train(
    folder: Path,
    steps: int = 12,
    save_every: int = 5,
    in_handler: bool = False,
    at: Callable[[str, int], None] = lambda place, step: None,
) -> None:
    """Train from the last checkpoint, or from the start; SIGTERM ends it.

    Args:
        in_handler: save at once when the signal comes, which is wrong.
        at: called at each place of a step, to let failures happen there.

    Raises:
        SystemExit: with AGAIN, if SIGTERM came before the last step.
        FloatingPointError: three gradients in a row were not finite.
    """
    run, asked = Run(folder), []

    def handler(number: int, frame: object) -> None:
        if in_handler:
            run.save()
            sys.exit(AGAIN)
        asked.append(number)

    signal.signal(signal.SIGTERM, handler)
    while run.step < steps and not asked:
        x, y = batch(run.step)
        run.optimizer.zero_grad()
        loss = nn.functional.mse_loss(run.model(x), y)
        at("forward", run.step + 1)
        loss.backward()
        at("backward", run.step + 1)
        norm = nn.utils.clip_grad_norm_(run.model.parameters(), 1.0)
        run.bad = 0 if norm.isfinite() else run.bad + 1
        if run.bad == 3:
            raise FloatingPointError(f"bad steps up to {run.step + 1}")
        if not run.bad:
            run.optimizer.step()
            at("update", run.step + 1)
        run.step += 1
        with open(run.log, "a") as log:
            print(run.step, loss.item(), file=log)
        if run.step % save_every == 0:
            run.save()
        at("between two steps", run.step)
    run.save()
    if run.step < steps:
        sys.exit(AGAIN)


def in_process(*arguments: object) -> int:
    """Run ``train`` in a process of its own and return its exit code."""
    process = multiprocessing.get_context("fork").Process(
        target=train, args=arguments
    )
    process.start()
    process.join()
    return process.exitcode or 0


def killed_at(place: str, number: int) -> Callable[[str, int], None]:
    def at(where: str, step: int) -> None:
        if (where, step) == (place, 8):
            os.kill(os.getpid(), number)

    return at


def killed_while_writing(place: str, step: int) -> None:
    """At step 9, a checkpoint is half written when SIGKILL comes."""
    if (place, step) == ("between two steps", 9):
        os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGTERM)


def outcome(whole: Path, in_handler: bool, at: Callable) -> tuple[int, int, bool]:
    """Exit code, where the next process begins, and whether it ends the same."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code = in_process(folder, 12, 5, in_handler, at)
        begin = torch.load(folder / "run.pt")["step"]
        in_process(folder)
        ends, expected = (
            torch.load(f / "run.pt")["model"] for f in (folder, whole)
        )
        same = all(torch.equal(ends[k], expected[k]) for k in expected)
        logs = [(f / "log.txt").read_text() for f in (folder, whole)]
        return code, begin, same and logs[0] == logs[1]


if __name__ == "__main__":
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        whole = Path(name)
        Run(whole)  # imports what an optimizer needs, once for all processes
        in_process(whole)
        print("12 steps, a checkpoint every 5; same weights and log in the end?")
        print("SIGTERM in step 8, after the   flag      save in the handler")
        for place in ("forward", "backward", "update", "between two steps"):
            at = killed_at(place, signal.SIGTERM)
            rows = (outcome(whole, way, at) for way in (False, True))
            flag, handler = (f"{same!s}, from {begin}" for _, begin, same in rows)
            print(f"  {place:27} {flag:15} {handler}")
        for title, at in (
            ("SIGKILL after the update", killed_at("update", signal.SIGKILL)),
            ("SIGKILL during the save", killed_while_writing),
        ):
            code, begin, same = outcome(whole, False, at)
            print(f"{title:29} {same!s}, from {begin}")
