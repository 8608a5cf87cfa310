"""Runs all outputs and claims with the torch at hand, and notes in ``tests/versions.json`` that they hold."""

from __future__ import annotations

import importlib.metadata
import json
import platform
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from warmup.content.versions import FILE, Seen, read
from warmup.project import ROOT, replace_file


def see(root: Path = ROOT) -> int:
    """Run all outputs and claims with the torch at hand and note it if they hold; returns pytest's exit code."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        tests = [sys.executable, "-m", "pytest", "-q", "-n", "auto", f"--junitxml={report}"]
        code = subprocess.run([*tests, "tests/snippets", "tests/test_outputs.py"], cwd=root, check=False).returncode
        if code == 0:
            _note(root, report)
    return code


def _note(root: Path, report: Path) -> None:
    passed = [case for case in ElementTree.parse(report).iter("testcase") if case.find("skipped") is None]
    outputs = sum(case.get("classname") == "tests.test_outputs" for case in passed)
    seen = Seen(
        importlib.metadata.version("torch").partition("+")[0],
        platform.python_version(),
        f"{datetime.now(UTC):%Y-%m-%d}",
        outputs,
        len(passed) - outputs,
    )
    kept = [one for one in read(root) if one.torch != seen.torch]
    ordered = sorted([*kept, seen], key=lambda one: [int(number) for number in one.torch.split(".")])
    replace_file(root / FILE, json.dumps([asdict(one) for one in ordered], indent=2) + "\n")
