"""Says in the summary of a workflow's run which programs have a button, and why the others have none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path


def tried(good: Iterable[str], without: Mapping[str, str], torch: str) -> None:
    """After a trial: the programs that have a button, and the others, each with its reason."""
    good = sorted(good)
    version = f" with torch {torch}" if torch else ""
    count = f"{len(good)} of {len(good) + len(without)}"
    lines = [f"## Programs that run in the browser\n\n{count} have a button{version}.\n"]
    if good:
        lines += [f"<details><summary>With a button: {len(good)}</summary>\n", *(f"- `{one}`" for one in good)]
        lines += ["\n</details>\n"]
    if without:
        lines += [f"<details><summary>Without one: {len(without)}</summary>\n", "| Program | Why |", "|---|---|"]
        lines += [f"| `{name}` | {_cell(why)} |" for name, why in sorted(without.items())]
        lines += ["\n</details>\n"]
    _write(lines)


def failed(step: str, problems: Iterable[str]) -> None:
    """After a step that failed: what is wrong."""
    lines = [f"## No program runs in the browser\n\nThe step `{step}` failed, so no program has a button:\n"]
    _write([*lines, *(f"- {_cell(one)}" for one in problems), ""])


def _cell(text: str) -> str:
    """A text that stays within a cell, and is none of Markdown's or HTML's."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{letter}" if letter in "|`*_[]\\" else letter for letter in text)


def _write(lines: Iterable[str]) -> None:
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
