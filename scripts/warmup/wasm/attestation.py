"""Asks GitHub whether a file was built by the repository that ``wasm.json`` names, with GitHub's own tool."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from warmup.project import Problem, ProblemError
from warmup.wasm import files
from warmup.wasm.pins import Pin, Pins

_PATIENCE = 120.0  # seconds


def verify(pins: Pins, folder: Path = files.FOLDER) -> list[Pin]:
    """Verify the attestation of each file that has to have one, and note which have; these.

    Raises:
        ProblemError: there is no ``gh``, a file is missing, or it was not built there.
    """
    wanted = [pin for pin in pins.packages if pin.attested]
    noted = folder / files.ATTESTED
    noted.unlink(missing_ok=True)
    tool = shutil.which("gh")
    if wanted and tool is None:
        raise ProblemError(Problem("gh", 0, "It is not on the PATH.", "It verifies attestations."))
    for pin in wanted:
        path = folder / "download" / pin.file
        if not path.is_file() or files.digest(path, pin.algorithm) != pin.digest:
            raise ProblemError(Problem(pin.file, 0, "It was not fetched.", "Run: python -m warmup wasm fetch"))
        _verify(str(tool), path, pin)
    noted.write_text(json.dumps({pin.file: pin.digest for pin in wanted}), encoding="utf-8")
    return wanted


def _verify(tool: str, path: Path, pin: Pin) -> None:
    command = [tool, "attestation", "verify", str(path), "--repo", pin.attested]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ProblemError(Problem(pin.file, 0, f"Its attestation was not verified: {error}.")) from None
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[-500:]
        raise ProblemError(Problem(pin.file, 0, f"gh does not verify that {pin.attested} built it: {said}"))
