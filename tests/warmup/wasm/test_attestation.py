"""Whose build a file is: GitHub's tool says it, or the file is not used."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from warmup.project import ProblemError
from warmup.wasm import attestation, command, files, pins, summary
from warmup.wasm.pins import Pin, Pins

GOOD = 'echo "$@" >> "$0.log"'
WHEEL = "ab-1.whl"


@pytest.fixture
def wanted(tmp_path, monkeypatch) -> Pins:
    """A wheel that was fetched and has to be somebody's build, and another one that has not."""
    folder = tmp_path / "wasm/download"
    folder.mkdir(parents=True)
    (folder / WHEEL).write_bytes(b"wheel")
    digest = hashlib.sha256(b"wheel").hexdigest()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    own = Pin("ab", "1", f"https://e/{WHEEL}", "sha256", digest, attested="who/where")
    return Pins(own, (own, Pin("c", "1", "https://e/c.whl", "sha256", digest)), ())


def tool(folder: Path, does: str) -> Path:
    file = folder / "bin/gh"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{does}\n")
    file.chmod(0o755)
    return file


def test_what_is_attested_is_noted_with_its_hash(wanted, tmp_path):
    file, folder = tool(tmp_path, GOOD), tmp_path / "wasm"
    assert [pin.name for pin in attestation.verify(wanted, folder)] == ["ab"]
    called = Path(f"{file}.log").read_text()
    assert called == f"attestation verify {folder / 'download' / WHEEL} --repo who/where\n"
    assert files.unattested(wanted, folder) == []
    (folder / files.ATTESTED).write_text(json.dumps({WHEEL: "0" * 64}))
    assert [problem.path for problem in files.unattested(wanted, folder)] == [WHEEL]


@pytest.mark.parametrize(
    ("does", "said"),
    [
        (
            "echo 'no attestations\nfound' >&2; exit 1",
            "gh does not verify that who/where built it: no attestations found",
        ),
        ("exec sleep 60", "Its attestation was not verified: .*timed out"),
        ("", None),
    ],
)
def test_what_is_not_attested_is_not_used(wanted, tmp_path, monkeypatch, does, said):
    monkeypatch.setattr(attestation, "_PATIENCE", 1.0)
    tool(tmp_path, does)
    monkeypatch.setenv("PATH", "/usr/bin:/bin", prepend=":")
    (tmp_path / "wasm" / files.ATTESTED).write_text(json.dumps({WHEEL: wanted.packages[0].digest}))  # of another time
    if said is None:
        (tmp_path / "wasm/download" / WHEEL).write_bytes(b"another")
    with pytest.raises(ProblemError, match=said or "It was not fetched"):
        attestation.verify(wanted, tmp_path / "wasm")
    assert files.unattested(wanted, tmp_path / "wasm")


def test_without_the_tool_nothing_is_used(wanted, tmp_path):
    with pytest.raises(ProblemError, match="gh: It is not on the PATH"):
        attestation.verify(wanted, tmp_path / "wasm")
    assert attestation.verify(Pins(wanted.runtime, wanted.packages[1:], ()), tmp_path / "wasm") == []


def test_the_command_fails_and_the_summary_says_why(wanted, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pins, "read", lambda: wanted)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    assert command.main("attest", []) == 1
    assert "gh: It is not on the PATH" in capsys.readouterr().err
    assert "The step `attest` failed" in (tmp_path / "summary.md").read_text()


def test_a_summary_lists_what_has_a_button_and_why_the_rest_has_none(tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    why = {"b.py": "failed: a | b\n<img src=x> *c* `d`", "c.py": "needs cuda"}
    summary.tried(["z.py", "a.py"], why, "2.13.0")
    text = (tmp_path / "summary.md").read_text()
    assert "2 of 4 have a button with torch 2.13.0." in text and "- `a.py`\n- `z.py`\n" in text
    assert re.findall(r"^\| `.*$", text, re.M) == [
        r"| `b.py` | failed: a \| b &lt;img src=x> \*c\* \`d\` |",
        "| `c.py` | needs cuda |",
    ]
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    summary.tried([], {}, "")
