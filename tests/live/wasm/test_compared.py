"""What the page makes of an output: its verdict, and what of it differs."""

from __future__ import annotations

import json
import subprocess

import pytest

from warmup.project import ROOT
from warmup.run.digits import NUMBER, masked

MODULE = ROOT / "scripts/warmup/wasm/page/compared.js"


def called(function: str, *calls: tuple) -> list:
    """What a function of the module returns for each arguments."""
    script = """const { readFileSync } = require("node:fs")
const [file, name, calls] = JSON.parse(readFileSync(0, "utf8"))
const text = readFileSync(file, "utf8").replace("const masked", "export const masked")
import(`data:text/javascript,${encodeURIComponent(text)}`).then(module =>
  console.log(JSON.stringify(calls.map(one => module[name](...one)))))"""
    given = json.dumps([str(MODULE), function, calls])
    done = subprocess.run(["node", "-e", script], input=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("record", "printed", "code", "word", "rows"),
    [
        ("a 1\n", "a 1\n", 0, "equal", []),
        ("a 1\n", "a 1\n", 2, "failed", []),
        ("a 1\n", "a 2\n", 0, "numbers", ["-a 1", "+a 2"]),
        ("a 1\n", "b 1\n", 0, "different", ["-a 1", "+b 1"]),
        ("a\n", "", 0, "different", ["-a"]),
        ("", "a\n", 0, "different", ["+a"]),
        ("a\n", "a", 0, "different", []),
        ("a\nb\nc\nd\ne\n", "a\nb\nx\nd\ne\n", 0, "different", ["…", " b", "-c", "+x", " d", "…"]),
        ("a\nb\nc\n", "b\nc\nd\n", 0, "different", ["-a", " b", " c", "+d"]),
        ("a\nb\n", "b\na\n", 0, "different", ["-a", " b", "+a"]),
        ("a\nb\nb\nb\nc\n", "x\nb\nb\nb\ny\n", 0, "different", ["-a", "+x", " b", "…", " b", "-c", "+y"]),
    ],
)
def test_a_run_is_judged_by_its_record(record, printed, code, word, rows):
    (found,) = called("compared", ("p.py", record, printed, code))
    assert found["word"] == word
    heads = ["--- p.py (recorded)", "+++ p.py (this run)"] if word in ("numbers", "different") else [""]
    assert found["difference"].split("\n") == heads + rows


def test_the_longest_output_is_compared_in_time():
    printed = "\n".join(map(str, range(60_000)))
    (found,) = called("compared", ("p.py", "a\n" * 2000, printed, 0))
    assert found["word"] == "different" and found["difference"].count("\n") == 62_001


def test_numbers_are_what_they_are_in_make_live():
    assert f"/{NUMBER.pattern}/g" in MODULE.read_text()
    texts = ["", "a 1.5e-3  b", "  12 | 7", "torch 2.13.0+cpu", "2.13.0+cu126 x", "-1.", "1.2.3", "e5 x1y", "a +1"]
    assert called("masked", *((text,) for text in texts)) == [masked(text) for text in texts]


@pytest.mark.parametrize(
    ("record", "printed", "word"),
    [
        ("ok a\nPassed: 1 of 1\n", "ok a\nPassed: 1 of 1\n", "passed"),
        ("ok a\nPassed: 1 of 1\n", "mine\nok a\nPassed: 1 of 1\n", "passed"),
        ("ok a\nPassed: 1 of 1\n", "ok a\nPassed: 0 of 0\n", "failed"),
        ("ok a\nPassed: 1 of 1\n", "ok a\nPassed: 1 of 1\nnot\n", "failed"),
        ("ok a\nPassed: 1 of 1\n", "", "failed"),
        ("", "", "failed"),
    ],
)
def test_an_attempt_passes_by_what_its_judge_prints(record, printed, word):
    (found,) = called("judged", (record, printed))
    assert found["word"] == word
