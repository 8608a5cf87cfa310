"""Which changed tests fail without the change: the tests of this commit, run on another commit's tree.

A test that passes there as well does not show what the change repairs. That can be right, so nothing is red for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from warmup.project import ROOT

# Tests passed, failed, could not be collected, or there were none: all else is a breakdown of pytest itself.
RAN = (0, 1, 2, 5)
SHOWN = 20  # failed tests of a file


def git(root: Path, *arguments: str) -> str:
    """What git says.

    Raises:
        RuntimeError: it failed; the message is its own.
    """
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


def changed(root: Path, base: str) -> list[str]:
    """The files of tests that the last commit added or changed since it left ``base``, as paths below ``root``."""
    names = git(root, "diff", "--name-only", "--diff-filter=d", "-z", f"{base}...HEAD", "--", "tests").split("\0")
    return [name for name in names if Path(name).match("test_*.py")]


def run(root: Path, base: str, files: list[str]) -> dict[str, tuple[int, list[str]]]:
    """Run ``files`` on the tree of ``base`` with all of this commit's ``tests``.

    Returns:
        Of each file how many tests it has there, and the names of those that fail. A file that cannot be collected has
        one, which fails.

    Raises:
        RuntimeError: git or pytest could not be run.
    """
    with tempfile.TemporaryDirectory(prefix="base-") as folder:
        tree, report = Path(folder, "tree"), Path(folder, "report.xml")
        git(root, "worktree", "add", "--quiet", "--detach", str(tree), git(root, "merge-base", base, "HEAD").strip())
        try:
            git(tree, "rm", "-r", "--quiet", "--ignore-unmatch", "--", "tests")
            git(tree, "checkout", git(root, "rev-parse", "HEAD").strip(), "--", "tests")
            options = ["-q", "-n", "auto", "--continue-on-collection-errors", "--junit-xml", str(report)]
            command = [sys.executable, "-m", "pytest", *options, "-o", "junit_family=xunit1", *files]
            environment = {**os.environ, "PYTHONPATH": str(tree / "scripts")}
            code = subprocess.run(command, cwd=tree, env=environment, check=False).returncode
            if code not in RAN or not report.exists():
                raise RuntimeError(f"pytest ended with {code}: it could not run {', '.join(files)}.")
            return _read(ElementTree.parse(report).getroot(), files)
        finally:
            git(root, "worktree", "remove", "--force", str(tree))


def _read(report: ElementTree.Element, files: list[str]) -> dict[str, tuple[int, list[str]]]:
    tests: Counter[str] = Counter()
    failed: dict[str, list[str]] = {file: [] for file in files}
    for case in report.iter("testcase"):
        # A file that cannot be collected has no place; its name is the module's, with dots.
        module = (case.get("classname") or case.get("name") or "").replace(".", "/") + ".py"
        file = case.get("file") or module
        name = case.get("name") or ""
        tests[file] += 1
        if file in failed and (case.find("failure") is not None or case.find("error") is not None):
            failed[file].append("the whole file" if file.endswith(f"{name.replace('.', '/')}.py") else name)
    return {file: (tests[file], failed[file]) for file in files}


def told(results: dict[str, tuple[int, list[str]]]) -> str:
    """The results as Markdown."""
    lines = ["## Changed tests on the base commit", ""]
    for file, (count, names) in results.items():
        lines.append(
            f"- `{file}`: {len(names)} of {count} fail there" + ("" if names else ", so none shows the change")
        )
        lines += [f"    - `{name.replace('`', '')}`" for name in names[:SHOWN]]
        lines += [f"    - and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return "\n".join(lines if results else [*lines, "No test was changed."]) + "\n"


def main(base: str, root: Path = ROOT) -> int:
    """Say it, in the summary of CI's job where there is one; 0, whatever fails there."""
    files = changed(root, base)
    text = told(run(root, base, files) if files else {})
    print(text, end="")
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
