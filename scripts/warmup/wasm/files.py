"""The files that a browser needs: fetched, compared with their hashes, and laid out as the site publishes them.

``build/wasm/`` holds what was downloaded, what is published, and which programs printed there what is recorded::

    download/       the runtime's tarball and the wheels
    attested.json   the hashes of those whose attestation was verified
    files/          what the site gets: the runtime, the wheels, a lock file of only those, and what runs programs
    files.json      the hash and the size of each of them; its own hash stands in every page
    programs.json   which programs a page may run, by the code that was run
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path

from warmup.project import ROOT, Problem, ProblemError, relative
from warmup.wasm.pins import NPM, PYPI, Pin, Pins

FOLDER = ROOT / "build" / "wasm"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
TOOLS = "tools.json"
MANIFEST = "files.json"
ATTESTED = "attested.json"
WORKER = Path(__file__).with_name("worker")
# What runs programs, and the module of the project that it imports.
PYTHON = ("run/tolerated.py", "wasm/inside.py")
# Of the tests, where they cannot have it.
MISSING = "Pyodide is not here and could not be downloaded from npm."
HELP = "Install Node 20 or newer, or see why npm does not reach its registry, then run the command again."
_TIMEOUT = 60.0  # seconds without a byte
_CLIENT = 240.0  # seconds for all that npm or pip does


def fetch(pins: Pins, folder: Path = FOLDER) -> tuple[list[Path], list[Problem]]:
    """Download what is not there yet: the files, and of those that cannot be had why.

    That is because it has no hash, is not there, or is not the one that its hash means.
    """
    download = folder / "download"
    download.mkdir(parents=True, exist_ok=True)
    paths, problems = [], []
    for pin in (pins.runtime, *pins.packages):
        try:
            paths.append(_fetch_one(pin, download / pin.file))
        except ProblemError as error:
            problems.append(error.problem)
    return paths, problems


def _fetch_one(pin: Pin, path: Path) -> Path:
    if not pin.digest:
        raise ProblemError(Problem(pin.url, 0, f"{pin.name} has no hash in wasm.json.", "Nothing is fetched without."))
    if path.exists() and digest(path, pin.algorithm) == pin.digest:
        return path
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        part = Path(folder) / pin.file
        try:
            _download(pin, part)
            found = digest(part, pin.algorithm)
        except (OSError, ValueError, subprocess.SubprocessError) as error:  # URLError and HTTPError are OSErrors
            raise ProblemError(Problem(pin.url, 0, f"It cannot be had: {error}.")) from None
        if found != pin.digest:
            raise ProblemError(
                Problem(
                    pin.url, 0, f"Its {pin.algorithm} is {found} and not the one in wasm.json.", "Nothing is published."
                )
            )
        os.replace(part, path)
    return path


def _download(pin: Pin, path: Path) -> None:
    if pin.url.startswith(NPM):
        client = ["npm", "pack", "--silent", f"{pin.name}@{pin.version}"]
    elif pin.url.startswith(PYPI):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        client = [*pip, f"{pin.name}=={pin.version}"]
    else:
        with urllib.request.urlopen(pin.url, timeout=_TIMEOUT) as response, path.open("wb") as file:
            shutil.copyfileobj(response, file)
        return
    subprocess.run(client, cwd=path.parent, check=True, stdout=subprocess.DEVNULL, timeout=_CLIENT)


def check(pins: Pins, folder: Path = FOLDER) -> list[Problem]:
    """Compare everything again, without the network, and lay out what is published if all of it is right."""
    problems = pins.problems()
    for pin in (pins.runtime, *pins.packages):
        path = folder / "download" / pin.file
        if not path.is_file():
            problems.append(Problem(relative(path), 0, "It is missing.", "Run: python -m warmup wasm fetch"))
        elif pin.digest and digest(path, pin.algorithm) != pin.digest:
            problems.append(Problem(relative(path), 0, f"It is not the {pin.name} whose hash stands in wasm.json."))
    problems += unattested(pins, folder)
    for name in ("files", MANIFEST):
        left = folder / name
        shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
    if not problems:
        _lay_out(pins, folder)
    return problems


def unattested(pins: Pins, folder: Path) -> list[Problem]:
    """The files that have to come from somebody's build, and of which nobody has verified that."""
    try:
        verified = json.loads((folder / ATTESTED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        verified = {}
    return [
        Problem(pin.file, 0, f"That {pin.attested} built it was not verified.", "Run: python -m warmup wasm attest")
        for pin in pins.packages
        if pin.attested and verified.get(pin.file) != pin.digest
    ]


def _lay_out(pins: Pins, folder: Path) -> None:
    files = folder / "files"
    files.mkdir()
    with tarfile.open(folder / "download" / pins.runtime.file) as tarball:
        for name in RUNTIME:
            (files / name).write_bytes(_member(tarball, name))
        info = json.loads(_member(tarball, LOCK))["info"]
    for pin in pins.packages:
        shutil.copyfile(folder / "download" / pin.file, files / pin.file)
    for source in sorted(WORKER.iterdir()):
        shutil.copyfile(source, files / source.name)
    tools = {f"warmup/{name}": (WORKER.parents[1] / name).read_text(encoding="utf-8") for name in PYTHON}
    _write(files / TOOLS, {"files": tools, "packages": [p.name for p in pins.packages], "prepared": pins.prepared})
    _write(files / LOCK, {"info": info, "packages": {pin.name: _locked(pin) for pin in pins.packages}})
    _write(
        folder / MANIFEST,
        {path.name: {"bytes": path.stat().st_size, "integrity": integrity(path)} for path in sorted(files.iterdir())},
    )


def _member(tarball: tarfile.TarFile, name: str) -> bytes:
    file = tarball.extractfile(f"package/{name}")
    assert file is not None  # the tarball has the hash of one that has it
    return file.read()


def _locked(pin: Pin) -> dict:
    """A wheel in the form of Pyodide's lock file. Its hash goes to the browser's own check of integrity."""
    return {
        "name": pin.name,
        "version": pin.version,
        "file_name": pin.file,
        "install_dir": "site",
        "sha256": pin.digest,
        "package_type": "package",
        "imports": list(pin.imports),
        "depends": list(pin.depends),
        "unvendored_tests": False,
    }


def digest(path: Path, algorithm: str = "sha256") -> str:
    """The hexadecimal digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def integrity(path: Path) -> str:
    """The hash of a file as browsers check it: https://www.w3.org/TR/sri/"""
    return integrity_of(path.read_bytes())


def integrity_of(content: bytes) -> str:
    """The same of bytes that are in no file."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode()


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
