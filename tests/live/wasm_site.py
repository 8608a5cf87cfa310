"""A site whose programs run in a browser: Pyodide as npm has it, and a small wheel of plain Python for torch."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from warmup.content import outputs
from warmup.project import ROOT, Problem
from warmup.testing import copy_sample
from warmup.wasm import command, files, pins

FETCHED = ROOT / ".cache" / "wasm"
VERSION = "1.0+pyodide314.0.2"  # a plus, as in torch's
WHEEL = f"warmup_sample-{VERSION}-py3-none-any.whl"
SAMPLE = """# /// script
# dependencies = ["warmup_sample"]
# ///
from warmup_sample import HERE

print(1, HERE)
"""
# What a program prints that shows where it ran, and so is no record's.
ELSEWHERE = "import sys\n\nprint(sys.platform)\n"
# A judge that needs no torch, and the rule by which it judges.
JUDGE = """from types import SimpleNamespace


class Judge:
    def judge(self, source, filename):
        names = {{}}
        exec(compile(source, filename, "exec"), names)
        return SimpleNamespace(passed={rule})


def told(judge, verdict):
    return "right" if verdict.passed else "3 is wanted \U0001f525"


judge = Judge()
"""
# The same for a broken trainer.
CHECK = """import runpy


def tried(check, path):
    gone = runpy.run_path(path)["train"](3) != 0
    return gone, "gone         It does not move." if gone else "still there  It does not move."


check = None
"""
RULES = {"add": "names['solve'](1, 2) == 3", "never": "False"}
ENDLESS = "# /// script\n# [tool.warmup]\n# timeout = 0.1\n# ///\nwhile True:\n    pass\n"
DIGITS = (
    '# /// script\n# [tool.warmup]\n# output = "recorded"\n# ///\nimport time\n\nprint(f"{time.time():.0f} seconds")\n'
)


def tarball() -> Path:
    """Pyodide's tarball from npm, downloaded once, with the hash that ``wasm.json`` has."""
    paths, problems = _fetched()
    assert not problems, problems
    return paths[0]


def missing() -> str:
    """Why there is no Pyodide here, or nothing; a Pyodide with another hash is no reason, but a failure."""
    _, problems = _fetched()
    return f"{files.MISSING} {problems[0]}" if problems and "cannot be had" in problems[0].message else ""


def _fetched() -> tuple[list[Path], list[Problem]]:
    return files.fetch(pins.Pins(pins.read().runtime, (), ()), FETCHED)


def wheel(folder: Path) -> Path:
    """A wheel with one module, whose numbers are seeded by nobody."""
    path = folder / WHEEL
    info = f"warmup_sample-{VERSION}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("warmup_sample/__init__.py", "HERE = 'from a wheel'\n" + "# " + "x" * 2_000_000 + "\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: warmup-sample\nVersion: {VERSION}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


def pinned(folder: Path) -> dict:
    """What ``wasm.json`` holds for the test."""
    content = json.loads(pins.FILE.read_text(encoding="utf-8"))
    one = wheel(folder)
    content["runtime"] |= {"url": tarball().as_uri()}
    content["packages"] = [
        {
            "name": "warmup-sample",
            "version": VERSION,
            "url": one.as_uri(),
            "sha256": hashlib.sha256(one.read_bytes()).hexdigest(),
            "depends": [],
            "imports": ["warmup_sample"],
            "attested": "somebody/somewhere",
        }
    ]
    content["prepared"] = ["warmup_sample"]
    return content


def project(folder: Path) -> Path:
    """The sample project with some more programs, and a ``wasm.json`` that can be had here."""
    root = copy_sample(folder)
    pin(root, pinned(folder))
    snippets = root / "snippets/junior/autograd"
    (snippets / "thing.py").write_text(SAMPLE)
    (snippets / "thing.out").write_text("1 from a wheel\n")
    for name, source, out in [
        ("elsewhere", ELSEWHERE, "linux\n"),
        ("endless", ENDLESS, "1\n"),
        ("digits", DIGITS, None),
    ]:
        (snippets / f"{name}.py").write_text(source)
        if out:
            (snippets / f"{name}.out").write_text(out)
    text = outputs.written("12 seconds\n", DIGITS, "a CPU", "2.13.0", "2026-11-22")
    (snippets / "digits.out").write_text(text)
    exercises, pages = root / "snippets/practice/write", root / "docs/practice/write"
    (exercises / "judging.py").unlink()
    shutil.copytree(exercises / "add", exercises / "never")
    (pages / "never.md").write_text((pages / "add.md").read_text().replace("write/add", "write/never"))
    for name, rule in RULES.items():
        (exercises / name / "judge.py").write_text(JUDGE.format(rule=rule))
    (root / "snippets/practice/trainers/stands-still/check.py").write_text(CHECK)
    (root / "snippets/practice/trainers/checking.py").unlink()
    page = root / "docs/junior/autograd/other.md"
    blocks = "".join(
        f'```python title="{name}.py"\n--8<-- "junior/autograd/{name}.py"\n```\n\n'
        f'```output\n--8<-- "junior/autograd/{name}.out"\n```\n\n'
        for name in ("elsewhere", "endless", "digits", "thing")
    )
    page.write_text(page.read_text().replace("## Why:", f"{blocks}## Why:"))
    sheet = root / "docs/junior/sheet.md"
    sheet.write_text(sheet.read_text().replace("`print(1)`", "`print(1, HERE)`"))
    return root


def pin(root: Path, content: dict) -> None:
    (root / "scripts/warmup/wasm/wasm.json").write_text(json.dumps(content))


# GitHub's tool, as far as it is used here: it knows one build, and its repository.
GH = """#!/bin/sh
[ "$1 $2 $4" = "attestation verify --repo" ] && [ -f "$3" ] && [ "$5" = somebody/somewhere ] && exit 0
echo "Error: no attestations found" >&2
exit 1
"""


def tool(folder: Path, text: str = GH) -> Path:
    """A folder with a `gh`, for the front of a PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gh").write_text(text)
    (folder / "gh").chmod(0o755)
    return folder


def warmup(root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run one of the project's commands."""
    path = f"{tool(root / 'bin')}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [sys.executable, "-m", "warmup", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(root / "scripts"), **environment},
    )


def prepared(root: Path) -> subprocess.CompletedProcess:
    """Take all steps; the last of them that was taken."""
    for step in command.STEPS:
        done = warmup(root, "wasm", step)
        if done.returncode:
            return done
    return done


def sri(content: bytes) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode()


def copied(site: Path, folder: Path) -> Path:
    """A copy of a built site to break."""
    return Path(shutil.copytree(site, folder / site.name))
