"""What a page has its kernel do: run one program in a fresh process, pass on what it prints, and judge it.

A kernel is a stock ipykernel, and this is all that it is ever asked to do. The run is the project's own, so that a
reader sees what the tests see: warnings are errors, files have their real names, and limits hold.
"""

from __future__ import annotations

import atexit
import codecs
import os
import signal
import sys
import tempfile
import types
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from ipykernel import parentpoller
from IPython.display import display

from warmup.content import header, outputs, sources
from warmup.project import SNIPPETS
from warmup.run import comparison, digits, drawing, exercise, orphans
from warmup.run.limits import Limits
from warmup.run.result import Result
from warmup.run.runner import Runner
from warmup.site import drawings

MESSAGE = "application/vnd.torch-warmup.run+json"
TIMEOUT = 600.0  # seconds; a reader who wants it sooner presses Stop

LIMITS = Limits.of_this_machine()

_runner: Runner | None = None


@dataclass(frozen=True)
class Verdict:
    """What a page says beside a run.

    word: equal, numbers (equal but for them), different, unrecorded, passed, failed or skipped. text: the same in
    a sentence. difference: a unified diff, "" without one. seconds: how long the program ran. torch: its version.
    """

    word: str
    text: str
    difference: str = ""
    seconds: float = 0.0
    torch: str = ""


def run(name: str, source: str) -> None:
    """Run a program and send what it prints, what it draws and a verdict to the page.

    Args:
        name: the snippet below ``snippets/`` that the program is, or was before its reader edited it; or else the judge
            of an exercise or the check of a broken trainer, to which the source is given.
        source: its text without the header, as the page shows it.

    Raises:
        ValueError: there is no such snippet.
    """
    snippet = (SNIPPETS / name).resolve()
    if not snippet.is_relative_to(SNIPPETS) or snippet.suffix != ".py" or not sources.exists(snippet):
        raise ValueError(f"There is no snippet {name!r}.")
    if snippet.name in ("judge.py", "check.py"):
        display({MESSAGE: asdict(attempt(snippet, source)), "text/plain": ""}, raw=True)
        return
    declared = header.parse(sources.text(snippet), snippet)
    with tempfile.TemporaryDirectory(prefix="warmup-") as folder:
        sources.copy(snippet.parent, Path(folder))  # it may load one
        program = Path(folder, snippet.name)
        program.write_text(source, encoding="utf-8")
        passed_on = {"stdout": _Passed(sys.stdout), "stderr": _Passed(sys.stderr)}
        result = _started().run(
            program, TIMEOUT, declared=declared, on_output=lambda stream, data: passed_on[stream].write(data)
        )
    if result.drawing and not drawing.only_draws(result.drawing):
        print("The drawing is not shown: it has more in it than shapes and letters.", file=sys.stderr, flush=True)
    elif result.drawing:
        name = f"Plot of {snippet.stem}"
        figure = drawings.figure(result.drawing, name, f"run-{snippet.stem}--")
        display({"text/html": figure, "text/plain": name}, raw=True)
    display({MESSAGE: asdict(compared(snippet, result)), "text/plain": ""}, raw=True)


def attempt(judge: Path, source: str) -> Verdict:
    """What the judge of an exercise or the check of a broken trainer says of a source; the page gets what it prints."""
    with tempfile.TemporaryDirectory(prefix="warmup-") as folder:
        mine = Path(folder, f"{judge.parent.name.replace('-', '_')}.py")
        mine.write_text(source, encoding="utf-8")
        if judge.name == "check.py":
            streams = {"stdout": _Passed(sys.stdout), "stderr": _Passed(sys.stderr)}
            gone = exercise.checked(_started(), judge, mine, lambda stream, data: streams[stream].write(data))
            return Verdict("passed", "All symptoms are gone.") if gone else Verdict("failed", "Not yet.")
        judged = exercise.judged(_started(), judge.parent.name, mine)
    print(judged.text, flush=True)
    return Verdict("passed", "Passed.") if judged.passed else Verdict("failed", "Not yet.")


def compared(snippet: Path, result: Result) -> Verdict:
    """How the result of a run compares with what is recorded for the snippet."""
    verdict = partial(Verdict, seconds=round(result.seconds, 3), torch=result.torch)
    if result.status == "skipped":
        return Verdict("skipped", result.message)
    if result.status != "ok":
        return verdict("failed", _sentence(result))
    recorded = outputs.read(outputs.for_torch(snippet, result.torch))
    if recorded is None:
        return verdict("unrecorded", "No output of it is recorded.")
    difference = comparison.compare(snippet, result)
    if not difference:
        return verdict("equal", "Equals the recorded output.")
    if digits.masked(recorded.text) == digits.masked(result.stdout):
        return verdict("numbers", "Equals the recorded output but for its numbers.", difference)
    return verdict("different", "Differs from the recorded output.", difference)


def _sentence(result: Result) -> str:
    if result.status == "failed":
        return f"Ended with exit code {result.code}."
    if result.signal == "SIGXFSZ":
        return f"Wrote more than {LIMITS.file / 2**30:.0f} GiB into one file and was stopped."
    if result.status == "signal":
        return f"Was ended by {result.signal}."
    out_of_reach = "" if orphans.adopting() else " Those in a session of their own still run."
    return {
        "timeout": "Computed for ten minutes and was stopped.",
        "late": "Was stopped after fifty minutes: it waits, or the machine is busy.",
        "output-limit": "Printed more than 256 KiB and was stopped.",
        "memory-limit": f"Took more than {LIMITS.memory / 2**30:.1f} GiB of memory and was stopped.",
        "process-limit": f"Had more than {LIMITS.processes} processes at once and was stopped.",
        "left-children": f"Left processes running, which were stopped.{out_of_reach}",
    }[result.status]


class _Passed:
    """Passes bytes on to a stream of the kernel, at once and in whole characters."""

    def __init__(self, stream) -> None:
        self.stream, self.decoder = stream, codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, data: bytes) -> None:
        self.stream.write(self.decoder.decode(data))
        self.stream.flush()


def _started() -> Runner:
    """The one runner of this kernel, which it keeps until it ends."""
    global _runner
    if _runner is None:
        # If the server is killed, what runs is stopped as if the reader had pressed Stop, and all that it started.
        orphans.follow_parent(signal.SIGINT)
        if orphans.adopt():
            _end_programs_first()
        _runner = Runner(limits=LIMITS).__enter__()
        atexit.register(_runner.__exit__)
    return _runner


def _end_programs_first() -> None:
    """Let ipykernel end what programs have left before it ends itself because the server is gone.

    It looks for the server once a second and ends in the middle of whatever is done then, also of ending a program.
    """

    def end(code: int) -> None:
        orphans.end(())
        os._exit(code)

    vars(parentpoller)["os"] = types.SimpleNamespace(getppid=os.getppid, _exit=end)
