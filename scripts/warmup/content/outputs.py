"""What snippets have printed: the ``.out`` files beside them, and how each is tied to the code that printed it.

``name.out`` holds what the pinned torch printed; a page shows it. An *exact* one holds that and nothing else: a fresh
run must print the same on every machine. In another one the first line says on which device, with which torch and when
it was printed, and ends in a fingerprint of the code and the output: where a fresh run cannot tell that a digit was
typed in, or is not possible here, the fingerprint does. ``name.svg`` is what the snippet drew, with such a fingerprint.

``name.torch-from-2.14.out`` and ``name.torch-before-2.12.out`` hold what other versions of torch print instead.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import re
import time
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from warmup.content import header, sources
from warmup.project import ROOT

# What a page says in place of an output that no run has printed, why, and what will change it.
NOT_RECORDED = "not recorded yet"
WHY_NOT_RECORDED = "needs hardware that no run of ours has had so far"
UNTIL_RECORDED = "Its output appears here once a run on a real device has printed it."

WATCHING = "practice/watching.py"  # what judges and checks, and the runner, watch processes with
PROVENANCE = "# recorded on "
_DRAWN = re.compile(r"<!-- drawn with torch (?P<torch>\S+), fingerprint (?P<fingerprint>[0-9a-f]{16}) -->\n")
_FINGERPRINT = re.compile(r", fingerprint ([0-9a-f]{16})$")
VARIANT = re.compile(r"\.torch-(?P<side>from|before)-(?P<version>\d+\.\d+)\.out$")


@dataclass(frozen=True)
class Output:
    """One recorded output.

    text: what was printed. provenance: device, torch and day, as "recorded on ..."; "" for an exact output.
    fingerprint: of code and text, "" where there is none.
    """

    text: str
    provenance: str = ""
    fingerprint: str = ""

    def tied_to(self, code: str) -> bool:
        """Whether this code printed it, and nobody has edited either since."""
        return self.fingerprint == fingerprint(code, self.text)


@functools.total_ordering
@dataclass(frozen=True)
class Variant:
    """The output of another range of torch: versions from `version` on if `newer`, else those before it."""

    path: Path
    newer: bool
    version: tuple[int, int]

    def __lt__(self, other: Variant) -> bool:
        return (self.newer, self.version) < (other.newer, other.version)

    @classmethod
    def parse(cls, file: Path) -> Variant | None:
        """The variant that a file name means; None if it means none."""
        match = VARIANT.search(file.name)
        return cls(file, match["side"] == "from", release(match["version"])) if match else None

    @property
    def name(self) -> str:
        """The range, as a sentence names it."""
        number = ".".join(map(str, self.version))
        return f"torch {number} and later" if self.newer else f"torch before {number}"

    def covers(self, torch: str) -> bool:
        """Whether the range holds a version such as "2.13.0+cpu"."""
        return (release(torch) >= self.version) == self.newer


def is_program(name: Path) -> bool:
    """Whether a snippet, named by its path below ``snippets/``, is run, and its output and plot recorded.

    The rest is tested otherwise: exercises, whose solutions print nothing, and what judges them or a trainer.
    """
    folder = name.parent.as_posix()
    if "practice/write" in folder or name.as_posix() == WATCHING:
        return False
    return "practice/trainers" not in folder or name.name not in ("check.py", "checking.py")


def programs(folder: Path, below: str = ".") -> list[Path]:
    """The snippets in ``folder`` that are run: all, or those ``below`` a path."""
    return [path for path in sources.below(folder / below) if is_program(path.relative_to(folder))]


def output_file(path: str | PathLike[str]) -> Path:
    """Where the output of a snippet is recorded."""
    return Path(path).with_suffix(".out")


def drawing_file(path: str | PathLike[str]) -> Path:
    """Where the plot of a snippet is recorded."""
    return Path(path).with_suffix(".svg")


def read_drawing(file: Path) -> Output | None:
    """A recorded plot; None where there is none."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    match = _DRAWN.match(text)
    return Output(text[match.end() :], match["torch"], match["fingerprint"]) if match else Output(text)


def drawn(svg: str, code: str, torch: str) -> str:
    """The content of a plot's file, tied to the code that drew it."""
    return f"<!-- drawn with torch {torch}, fingerprint {fingerprint(code, svg)} -->\n{svg}"


def snippet_of(out: Path) -> Path:
    """The snippet that an ``.out`` file belongs to."""
    return out.with_name(VARIANT.sub(".out", out.name)).with_suffix(".py")


def variants(path: str | PathLike[str]) -> list[Variant]:
    """The outputs of other versions of torch that are recorded for a snippet."""
    return sorted(variant for file in more_than_stem(Path(path)) if (variant := Variant.parse(file)))


# A build asks eight times for each output, and a folder holds those of a whole topic.
_listed: dict[Path, tuple[int, list[Path]]] = {}


def more_than_stem(path: Path) -> list[Path]:
    """The ``.out`` files beside a snippet whose names say more than its stem: ``name.something.out``.

    While the site is served, a folder is listed again only if it has changed.
    """
    folder = path.parent
    if not folder.is_dir():
        return []
    stamp = folder.stat().st_mtime_ns
    when, files = _listed.get(folder, (0, []))
    if when != stamp:
        files = sorted(file for file in folder.glob("*.out") if "." in file.stem)
        if time.time_ns() - stamp > 10**9:  # what is written within one tick of the clock leaves no other time
            _listed[folder] = (stamp, files)
    return [file for file in files if file.name.startswith(f"{path.stem}.")]


def for_torch(path: str | PathLike[str], torch: str) -> Path:
    """The file that a run of the snippet with this torch is compared with.

    A variant that begins later, or ends earlier, fits better than one that holds more versions.
    """
    fitting = [variant for variant in variants(path) if variant.covers(torch)]
    if not fitting:
        return output_file(path)
    newer = [variant for variant in fitting if variant.newer]
    return (newer[-1] if newer else fitting[0]).path


def release(torch: str) -> tuple[int, int]:
    """Major and minor number of a version such as "2.13.0+cpu"."""
    if match := re.match(r"(\d+)\.(\d+)", torch):
        return int(match[1]), int(match[2])
    raise ValueError(f"{torch!r} is not a version of torch.")


def recorded_torch(root: Path = ROOT) -> str:
    """The torch that outputs are recorded with: the pin in requirements-test.txt."""
    text = (root / "requirements-test.txt").read_text(encoding="utf-8")
    return re.findall(r"^torch==(\S+)", text, flags=re.M)[0]


def read(out: Path) -> Output | None:
    """What an ``.out`` file holds; None where there is none."""
    try:
        text = out.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    if not text.startswith(PROVENANCE):
        return Output(text)
    first, _, text = text.partition("\n")
    match = _FINGERPRINT.search(first)
    return Output(text, _FINGERPRINT.sub("", first).removeprefix("# "), match[1] if match else "")


def written(text: str, code: str, device: str, torch: str, day: str) -> str:
    """The content of an ``.out`` file that names what it was recorded with."""
    return f"{PROVENANCE}{device}, torch {torch}, {day}, fingerprint {fingerprint(code, text)}\n{text}"


def fingerprint(code: str, text: str) -> str:
    """Ties an output to the code that printed it: 16 hexadecimal digits, the header of the code left out."""
    return hashlib.sha256(f"{without_header(code)}\0{text}".encode()).hexdigest()[:16]


def without_header(code: str) -> str:
    """A snippet without its PEP 723 block; the whole of it if the block is broken."""
    try:
        found = header.parse(code, "")
    except header.HeaderError:
        return code  # reported by the checks
    if not found.start:
        return code
    lines = code.split("\n")
    return "\n".join(lines[: found.start - 1] + lines[found.end :]).lstrip("\n")


def changed_lines(recorded: str, other: str) -> str:
    """The lines of ``other`` that ``recorded`` does not have at that place."""
    diff = difflib.ndiff(recorded.splitlines(), other.splitlines())
    return "\n".join(line[2:] for line in diff if line.startswith("+ "))
