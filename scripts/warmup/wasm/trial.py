"""Runs each program with what a browser would get, in Node, and lists those that print what is recorded."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

from warmup.content import header, one_file, outputs
from warmup.project import SNIPPETS, Problem, ProblemError
from warmup.run import comparison
from warmup.wasm import files, judges, summary
from warmup.wasm.pins import Pins
from warmup.wasm.publication import record

NODE = Path(__file__).with_name("node.mjs")
LONGER = 12  # how much longer a program may take than its header allows: so much slower is WebAssembly here and there
LONGEST = 60.0  # seconds that any of them may take: no reader waits longer
ALL = 20 * 60.0  # seconds after which no more are tried; the Pages workflow waits for 30 minutes


def candidates(pins: Pins, paths: Iterable[Path]) -> dict[Path, str]:
    """The programs, each with why it is not tried: "" for those that are."""
    had = {pin.name for pin in pins.packages}
    found = {}
    for path in paths:
        declared = header.parse(judges.text(path), path)
        if declared.needs:
            found[path] = "needs " + ", ".join(sorted(declared.needs))
        elif absent := [name for name in declared.packages if name not in had]:
            found[path] = "needs " + ", ".join(absent)
        elif record(path, "") is None:
            found[path] = "no output of it is recorded"
        else:
            found[path] = ""
    return found


def run(pins: Pins, paths: Iterable[Path], folder: Path = files.FOLDER) -> int:
    """Try programs and write which of them a page may run; how many these are.

    Raises:
        ProblemError: there is no Node, or nothing was checked.
    """
    node = shutil.which("node")
    if node is None:
        raise ProblemError(Problem("node", 0, "It is not on the PATH.", "Install Node 20 or newer."))
    manifest = folder / files.MANIFEST
    if not manifest.is_file():
        raise ProblemError(Problem(str(manifest), 0, "It is missing.", "Run: python -m warmup wasm check"))
    why = candidates(pins, paths)
    without = {_name(path): reason for path, reason in why.items() if reason}
    for name, reason in without.items():
        print(f"skipped            {name.removesuffix('.py')}: {reason}")
    tried = {_name(path): path for path, reason in why.items() if not reason}
    good, accepted, torch, end = {}, {}, "", time.monotonic() + ALL
    for result in _results(node, folder, tried, end):
        path = tried.pop(result["program"])
        torch = torch or result["torch"]
        word = _word(path, result)
        print(f"{word:9} {result['seconds']:6.2f} s {comparison.name_of(path)}", flush=True)
        if word in ("equal", "measured"):
            good[result["program"]] = outputs.fingerprint(judges.text(path), _recorded(path, result))
            if judges.is_judge(path):
                accepted[result["program"]] = result["stdout"]
        elif word == "failed":
            said = ((judges.is_judge(path) and result["stdout"]) or result["stderr"]).rstrip()
            print(said[-2000:])
            without[result["program"]] = f"failed: {said.rpartition(chr(10))[2][-300:]}"
        else:
            print(comparison.diff(path, _recorded(path, result), result["stdout"], "recorded", "WebAssembly"), end="")
            without[result["program"]] = "prints something else than what is recorded"
    for name, path in tried.items():
        print(f"not tried in time  {comparison.name_of(path)}")
        without[name] = "not tried in time"
    summary.tried(good, without, torch)
    found = {"release": files.integrity(manifest), "torch": torch, "programs": good, "judges": accepted}
    (folder / "programs.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return len(good)


def _name(path: Path) -> str:
    return path.resolve().relative_to(SNIPPETS).as_posix()


def _recorded(path: Path, result: dict) -> str:
    if judges.is_judge(path):
        return result["stdout"]
    found = record(path, result["torch"])
    return found.text if found else ""


def _word(path: Path, result: dict) -> str:
    """equal, measured (equal but for numbers that are declared to vary), different, or failed."""
    if result["code"] != 0:
        return "failed"
    recorded = _recorded(path, result)
    if recorded == result["stdout"]:
        return "equal" if recorded or not judges.is_judge(path) else "failed"
    return "measured" if comparison.agree(recorded, result["stdout"], comparison.header_of(path)) else "different"


def _results(node: str, folder: Path, tried: dict[str, Path], end: float) -> Iterable[dict]:
    """What each program gave, as soon as it ends; nothing more after this time of the monotonic clock."""
    # Pyodide imports a package for sockets in Node, which no program here opens: an empty one does.
    stub = folder / "node_modules" / "ws"
    stub.mkdir(parents=True, exist_ok=True)
    (stub / "package.json").write_text('{"name": "ws", "main": "index.js"}', encoding="utf-8")
    (stub / "index.js").write_text("module.exports = {}\n", encoding="utf-8")
    programs = []
    for name, path in tried.items():
        text = judges.text(path)
        seconds = min(header.parse(text, path).timeout * LONGER, LONGEST)
        one = {"program": name, "source": outputs.without_header(text), "seconds": seconds}
        if judges.is_judge(path):
            one |= {"source": judges.answer(path), "judge": one_file.assembled(path)}
        programs.append(one)
    (folder / "tried.json").write_text(json.dumps(programs), encoding="utf-8")
    command = [node, str(NODE), str(folder / "files"), str(folder / "tried.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                yield json.loads(line)
                if time.monotonic() > end:
                    process.kill()
                    return
        except BaseException:  # or it would be waited for
            process.kill()
            raise
    if process.returncode:
        raise ProblemError(
            Problem("node", 0, f"It ended with exit code {process.returncode}.", "What it said is above.")
        )
