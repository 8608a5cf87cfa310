"""Which outputs all machines confirmed: ``confirmed.txt`` in the folder of snippets.

After the line that names the set of machines it has a line for each program: its name, and a digest of its code, of
what is recorded of it and of the torch that recorded. The recorder writes a line when all machines of its set agree.
What one machine alone can print, times or what a GPU gives, needs no line: its output says where it was recorded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from warmup.content import header, outputs, sources
from warmup.project import SNIPPETS, replace_file

NAME = "confirmed.txt"
FILE = SNIPPETS / NAME
_TITLE = "# confirmed by the machines "
_read: dict[Path, tuple[tuple[int, int], frozenset[str]]] = {}


def line(path: Path) -> str:
    """What the file says of a program whose present output is confirmed."""
    files = [outputs.output_file(path), outputs.drawing_file(path)]
    digest = hashlib.sha256(outputs.recorded_torch().encode())
    for content in (sources.text(path).encode(), *(file.read_bytes() if file.exists() else b"" for file in files)):
        digest.update(hashlib.sha256(content).digest())
    return f"{path.relative_to(_folder(path)).with_suffix('').as_posix()} {digest.hexdigest()[:16]}"


def needed(path: Path) -> bool:
    """Whether machines can confirm a program at all.

    Raises:
        HeaderError: its header is wrong.
    """
    declared = header.parse(sources.text(path), path)
    return declared.output != "recorded" and "cuda" not in declared.needs


def holds(path: Path) -> bool:
    """Whether all machines confirmed what is recorded of a program; True in a project that has no such file."""
    file = _folder(path) / NAME
    return not file.exists() or line(path) in _lines(file)


def note(paths: Iterable[Path], machines: str, file: Path = FILE) -> None:
    """Write that all machines of a set confirmed programs; lines that another set confirmed are left out."""
    names = {path.relative_to(file.parent).with_suffix("").as_posix(): path for path in paths}
    kept = _lines(file) if file.exists() and machines_of(file) == machines else frozenset()
    old = {one for one in kept if one.split()[0] not in names and sources.exists(file.parent / f"{one.split()[0]}.py")}
    new = {line(path) for path in names.values()}
    replace_file(file, "".join(f"{one}\n" for one in [f"{_TITLE}{machines}", *sorted(old | new)]))


def machines_of(file: Path = FILE) -> str:
    """The fingerprint of the set of machines that confirmed."""
    return file.read_text(encoding="utf-8").partition("\n")[0].removeprefix(_TITLE)


def _lines(file: Path) -> frozenset[str]:
    stat = file.stat()
    stamp = (stat.st_mtime_ns, stat.st_size)
    if file not in _read or _read[file][0] != stamp:
        found = file.read_text(encoding="utf-8").splitlines()
        _read[file] = stamp, frozenset(one for one in found if one and not one.startswith("#"))
    return _read[file][1]


def _folder(path: Path) -> Path:
    """The folder of snippets that a program stands in."""
    return next((one for one in path.parents if one.name == "snippets"), path.parent)
