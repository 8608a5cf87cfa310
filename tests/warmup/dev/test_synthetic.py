"""The project that `make bench` measures: as large as asked for, in order, and without two questions alike."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from warmup.dev import bench, synthetic
from warmup.kinds import levels
from warmup.project import ROOT


def texts(folder, ending):
    """What each file holds, by its path; what it includes, and under which name, does not count."""
    return {
        path.relative_to(folder): re.sub(r"--8<--.*|title=\".*\"", "", path.read_text(encoding="utf-8"))
        for path in folder.rglob(f"*.{ending}")
    }


def test_a_grown_project_is_in_order_and_no_two_of_its_pages_or_snippets_are_alike(tmp_path):
    own = len(levels.load().questions)
    count = max(bench.GROWN, 2 * own + 1)  # each page is copied at least once
    root = synthetic.grown(tmp_path / "project", count)
    done = subprocess.run(
        [sys.executable, "-m", "warmup", "check"],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root / "scripts")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{count} questions, ")
    for folder, ending in (("docs", "md"), ("snippets", "py")):
        before, after = (texts(where / folder, ending) for where in (ROOT, root))
        copies = after.keys() - before.keys()
        assert len(copies) >= own
        assert len({after[path] for path in copies} - set(before.values())) == len(copies)
    originals = {path.stem for path in (ROOT / "docs/practice/predict").glob("*.md")}
    assert {path.stem for path in (root / "docs/practice/predict").glob("*.md")} - originals
