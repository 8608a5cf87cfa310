"""`make deck`: the Anki deck alone, out of a site that is built for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from warmup.exports import deck as anki
from warmup.kinds import levels
from warmup.project import ROOT, relative


def build() -> int:
    """Write the deck into ``build/``; the exit code."""
    target = ROOT / "build" / Path(anki.APKG).name
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder]
        if failed := subprocess.run(command, cwd=ROOT, check=False).returncode:
            return failed
        shutil.copy(Path(folder, anki.APKG), target)
    site = levels.load()
    print(
        f"{relative(target)}: {len(site.questions) + len(site.exercises)} notes. Import it in Anki with File, Import."
    )
    if not os.environ.get("SITE_URL"):
        print(
            "Its cards do not link back to their pages. If the site has an address, give it:\n"
            "  make deck SITE_URL=https://example.com/torch-warmup/"
        )
    return 0
