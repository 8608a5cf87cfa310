"""The steps of the workflows that put buttons on programs, with a host of this machine and a small package for torch's.

No torch runs here, and GitHub is not asked: a small script stands for its tool.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import wasm_site
from warmup.dev.serving import served
from warmup.project import ROOT

WORKFLOWS = {name: yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text()) for name in ("pages", "pinned")}
MAKE = """#!/bin/sh
[ "$1" = wasm ] && exec {python} -m warmup wasm "${{2#STEP=}}"
"""
READ = """
import json, sys
from pathlib import Path
from warmup.wasm import publication
print(json.dumps(sorted(publication.read(Path(sys.argv[1])).records)))
"""


class Runner:
    """Runs the steps of a job as GitHub's would, in a project on a machine that has these tools."""

    def __init__(self, folder: Path, root: Path, *tools: str, gh: str = wasm_site.GH) -> None:
        self.root, self.artifact, self.summary = root, folder / "artifact", folder / "summary.md"
        self.bin = folder / f"bin-{root.name}"
        self.bin.mkdir()
        (self.bin / "make").write_text(MAKE.format(python=sys.executable))
        (self.bin / "make").chmod(0o755)
        for tool in tools:
            if tool == "gh":
                wasm_site.tool(self.bin, gh)
            else:
                (self.bin / tool).symlink_to(str(shutil.which(tool)))
        self.environment = {
            "PATH": str(self.bin),
            "PYTHONPATH": str(root / "scripts"),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "HOME": str(folder),
        }

    def run(self, workflow: str, job: str) -> dict[str, str]:
        """How each step with a name ended; those of a job that goes on for as long as nothing fails, too."""
        ends: dict[str, str] = {}
        for step in WORKFLOWS[workflow]["jobs"][job]["steps"]:
            name = step.get("id") or step.get("run", "")
            wanted = re.search(r"steps\.(\w+)\.outcome == 'success'", step.get("if", ""))
            stopped = "continue-on-error" not in step and "failure" in ends.values()
            if (wanted and ends[wanted[1]] != "success") or stopped:
                ends[name] = "skipped"
            elif step.get("id") == "kept":
                ends[name] = self._keep(step["with"]["path"].split())
            elif step.get("run", "").startswith("make wasm"):
                ends[name] = self._sh(step)
            elif "id" in step:  # an action, whose work the test does itself
                ends[name] = "success"
        return ends

    def _sh(self, step: dict) -> str:
        done = subprocess.run(
            ["/bin/sh", "-e", "-c", step["run"]], cwd=self.root, env=self.environment, capture_output=True, check=False
        )
        return "success" if done.returncode == 0 else "failure"

    def _keep(self, paths: list[str]) -> str:
        for path in paths:
            source, target = self.root / path, self.artifact / Path(path).name
            self.artifact.mkdir(exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
        return "success"

    @property
    def published(self) -> list[str]:
        """The programs and judges that a build would give a button."""
        command = [sys.executable, "-c", READ, "build/wasm"]
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)


@pytest.fixture
def host(built, tmp_path):
    """A host with the wheel, and copies of the project whose list says that it is there."""
    folder = tmp_path / "host"
    folder.mkdir()
    content = wasm_site.pinned(folder)
    with served(folder) as address:
        content["packages"][0]["url"] = f"{address}{wasm_site.WHEEL.replace('+', '%2B')}"

        def project(name: str = "project") -> Path:
            root = Path(
                shutil.copytree(built / "project", tmp_path / name, ignore=shutil.ignore_patterns("build", "bin"))
            )
            wasm_site.pin(root, content)
            return root

        project.folder = folder
        yield project


def test_what_runs_the_wheel_does_not_build_the_site_which_gets_its_buttons(host, tmp_path):
    first = Runner(tmp_path, host(), "node", "gh")
    assert first.run("pages", "programs") == dict.fromkeys(["fetch", "attest", "check", "run", "kept"], "success")
    said = first.summary.read_text()
    assert "12 of 17 have a button" in said and "- `junior/autograd/thing.py`\n" in said
    assert "| `junior/autograd/elsewhere.py` | prints something else than what is recorded |" in said
    assert "| `junior/autograd/endless.py` | failed: It took too long. |" in said
    second = Runner(tmp_path, host("another"))  # a machine that has neither tool
    assert second.published == []
    shutil.copytree(first.artifact, second.root / "build/wasm")
    assert second.run("pages", "build")["check"] == "success"
    assert {"junior/autograd/thing.py", "practice/write/add/judge.py"} <= {*second.published}
    # What is handed over is compared once more.
    (second.root / "build/wasm/download" / wasm_site.WHEEL).write_bytes(b"another")
    assert second.run("pages", "build")["check"] == "failure" and second.published == []


@pytest.mark.parametrize(
    ("tools", "gh", "breaks", "fails", "said"),
    [
        (["node", "gh"], wasm_site.GH, "away", "fetch", "It cannot be had: HTTP Error 404"),
        (["node", "gh"], wasm_site.GH, "changed", "fetch", "and not the one in wasm.json"),
        (["node"], "", "", "attest", "gh: It is not on the PATH."),
        (
            ["node", "gh"],
            "#!/bin/sh\necho 'no attestations found' >&2; exit 1\n",
            "",
            "attest",
            "no attestations found",
        ),
        (["gh"], wasm_site.GH, "", "run", "node: It is not on the PATH."),
    ],
)
def test_a_step_that_fails_leaves_the_site_without_buttons_and_says_why(host, tmp_path, tools, gh, breaks, fails, said):
    root = host()
    file = host.folder / wasm_site.WHEEL
    if breaks == "away":
        file.unlink()
    elif breaks:
        file.write_bytes(file.read_bytes() + b"x")
    runner = Runner(tmp_path, root, *tools, gh=gh)
    ends = runner.run("pages", "programs")
    order = ["fetch", "attest", "check", "run", "kept"]
    at = order.index(fails)
    assert [ends[name] for name in order] == ["success"] * at + ["failure"] + ["skipped"] * (len(order) - at - 1)
    text = runner.summary.read_text()
    assert f"The step `{fails}` failed, so no program has a button" in text and said in text.replace("\\", "")
    assert not runner.artifact.exists() and runner.published == []


def test_the_weekly_run_says_which_file_cannot_be_had(host, tmp_path):
    root = host()
    runner = Runner(tmp_path, root, "gh")
    steps = ["make wasm STEP=fetch", "make wasm STEP=attest"]
    assert runner.run("pinned", "available") == dict.fromkeys(steps, "success") and not runner.summary.exists()
    shutil.rmtree(root / "build")
    (host.folder / wasm_site.WHEEL).unlink()
    assert runner.run("pinned", "available") == dict(zip(steps, ["failure", "skipped"], strict=True))
    assert f"{os.path.basename(wasm_site.WHEEL)}" in runner.summary.read_text().replace("%2B", "+").replace("\\", "")
