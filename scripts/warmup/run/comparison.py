"""How what a fresh run gave is compared with what is recorded: three ways, of which a snippet or a cell declares one.

- exact: equal to the last byte.
- measured: the text equal, and each number within a tolerance, which is a share of the larger one.
- recorded: the text equal, whatever the digits and signs of its numbers; these are of one machine and one run.
"""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path

from warmup.content import outputs, sources
from warmup.content.header import Header, parse
from warmup.content.outputs import output_file
from warmup.run.digits import NUMBER, masked
from warmup.run.result import Result

_TAG = re.compile(r"<[^<>]*>")
# In a tag of an SVG, a number has a sign, and a digit may be none: a color such as #0072B2, or "10px".
_COORDINATE = re.compile(r"(?<![#\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")
# What one run measured on a busy machine may be fitted by a line that begins below zero.
_SIGN = re.compile(r"(?<![\w.])-(?=\d)")
# Units of an SVG, of which a line is one and a half wide: less than one sees.
POINTS = 0.5


def compare(path: str | os.PathLike[str], result: Result) -> str:
    """ "" if the result agrees with the recorded output, or if it was skipped; else what is wrong.

    That is a unified diff, or one sentence if there is nothing to compare. A run with another torch than the
    pinned one is compared with the output that is recorded for its version, if there is one.
    """
    path = Path(path)
    if result.status == "skipped":
        return ""
    if result.status != "ok":
        return result.message
    again = f"run make record Q={name_of(path)}"
    kind = header_of(path)
    file = outputs.for_torch(path, result.torch) if result.torch else output_file(path)
    old = outputs.read(file)
    if old is None:
        return f"no recorded output: {again}"
    if kind.output != "exact" and not old.provenance:
        return f"the recorded output does not say where it was recorded: {again}"
    if not agree(old.text, result.stdout, kind):
        return diff(path, old.text, result.stdout, "recorded", "this run")
    recorded = outputs.read_drawing(outputs.drawing_file(path))
    if result.drawing and recorded is None:
        return f"its plot is not recorded: {again}"
    if not agree_drawn(recorded.text if recorded else "", result.drawing, kind):
        return f"it draws another plot than the recorded one: {again}"
    return ""


def agree(recorded: str, fresh: str, kind: Header) -> bool:
    """Whether two outputs are the same, as far as `kind.output` promises it."""
    if kind.output == "exact" or recorded == fresh:
        return recorded == fresh
    if kind.output == "recorded":
        return masked(_SIGN.sub("", recorded)) == masked(_SIGN.sub("", fresh))
    if masked(recorded) != masked(fresh):
        return False
    pairs = zip(NUMBER.findall(recorded), NUMBER.findall(fresh), strict=True)
    return all(_close(one.strip(), other.strip(), kind.tolerance) for one, other in pairs)


def agree_drawn(recorded: str, fresh: str, kind: Header) -> bool:
    """Whether two plots are the same; of what one machine measured in one run, whether there are two or none."""
    if kind.output == "recorded":
        return bool(recorded) == bool(fresh)
    return same_drawing(recorded, fresh)


def _close(one: str, other: str, tolerance: float) -> bool:
    try:
        a, b = float(one), float(other)
    except ValueError:  # a version has several points, and no size
        return one == other
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def same_drawing(old: str, new: str) -> bool:
    """Whether two SVGs show the same: text exact, numbers in tags within POINTS, names of parts ignored."""
    # Matplotlib names a part by the digest of its coordinates.
    old, new = (re.sub(r'(?<=\bid=")[^"]*|(?<=href="#)[^"]*|(?<=url\(#)[^)]*', "", svg) for svg in (old, new))
    return _TAG.split(old) == _TAG.split(new) and all(map(_same_tag, _TAG.findall(old), _TAG.findall(new)))


def _same_tag(old: str, new: str) -> bool:
    return _COORDINATE.sub("#", old) == _COORDINATE.sub("#", new) and all(
        abs(float(a) - float(b)) <= POINTS
        for a, b in zip(_COORDINATE.findall(old), _COORDINATE.findall(new), strict=True)
    )


def diff(path: Path, old: str, new: str, old_label: str, new_label: str) -> str:
    if old == new:
        return ""
    name = name_of(path) + ".out"
    lines = difflib.unified_diff(
        old.splitlines(keepends=True),
        new.splitlines(keepends=True),
        f"{name} ({old_label})",
        f"{name} ({new_label})",
    )
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def header_of(path: Path) -> Header:
    try:
        return parse(sources.text(path), path)
    except (OSError, ValueError):
        return Header()  # the runner reports it


def name_of(path: Path) -> str:
    parts = path.resolve().with_suffix("").parts
    last = len(parts) - 1 - parts[::-1].index("snippets") if "snippets" in parts else -4
    return "/".join(parts[last + 1 :])
