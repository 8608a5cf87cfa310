"""What a build takes from ``build/wasm/``: all of it, or nothing where one file is not as it was checked."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from warmup.content import outputs, sources
from warmup.project import SNIPPETS
from warmup.wasm import files, judges, pins


@dataclass(frozen=True)
class Publication:
    """What a site publishes so that its pages can run programs.

    paths: the files, by their names. release: the hash of the list of them, as browsers check it. bytes: what a
    reader downloads. torch: its version, "" without one. records: what each program printed when it was recorded, by
    its name below ``snippets/``, and what each judge prints for the right answer.
    """

    paths: dict[str, Path] = field(default_factory=dict)
    release: str = ""
    bytes: int = 0
    torch: str = ""
    records: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.records)


def read(folder: Path, snippets: Path = SNIPPETS) -> Publication:
    """What ``check`` laid out and ``run`` listed in a folder; nothing where anything is missing or has changed since.

    Args:
        folder: as ``warmup.wasm.files`` describes it.
        snippets: the programs as they are now. One that has been edited since it was tried is not published.
    """
    wanted = pins.read()
    try:
        manifest = json.loads((folder / files.MANIFEST).read_text(encoding="utf-8"))
        tried = json.loads((folder / "programs.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Publication()
    paths = {name: folder / "files" / name for name in manifest}
    right = {one.file: one.digest for one in wanted.packages}
    if (
        wanted.problems()
        or files.unattested(wanted, folder)
        or not right.keys() <= manifest.keys()
        or tried["release"] != files.integrity(folder / files.MANIFEST)
        or not all(path.is_file() for path in paths.values())
        or any(files.integrity(path) != manifest[name]["integrity"] for name, path in paths.items())
        or any(files.digest(paths[name]) != digest for name, digest in right.items())
    ):
        return Publication()
    records = {}
    for name, fingerprint in tried["programs"].items():
        source = snippets / name
        if not sources.exists(source):
            continue
        found = record(source, tried["torch"])
        text = tried["judges"].get(name, "") if judges.is_judge(source) else found.text if found else ""
        if found and fingerprint == outputs.fingerprint(judges.text(source), text):
            records[name] = text
    paths[files.MANIFEST] = folder / files.MANIFEST
    size = sum(one["bytes"] for one in manifest.values())
    return Publication(paths, tried["release"], size, tried["torch"], records)


def record(snippet: Path, torch: str) -> outputs.Output | None:
    """What a run with this version of torch, "" without one, is compared with; None where nothing is recorded.

    Of a judge nothing is: it says by how it ends whether it accepts the right answer.
    """
    if judges.is_judge(snippet):
        return outputs.Output("")
    return outputs.read(outputs.for_torch(snippet, torch) if torch else outputs.output_file(snippet))
