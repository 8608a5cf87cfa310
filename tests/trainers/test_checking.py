"""The check of an edited script survives what such a script may do, and says what it was."""

from __future__ import annotations

import sys

import pytest

from trainer import TRAINERS

sys.path.insert(0, str(TRAINERS))
import checking

CHECK = f"""
import sys
sys.path.insert(0, {str(TRAINERS)!r})
from checking import Check, main
check = Check(__file__, keeps={{"train": "function"}})
@check.symptom("The first number is odd.")
def odd(script):
    return script.run(0)[0] % 2 == 1
@check.symptom("The second number is odd.")
def odd_too(script):
    return script.run(0)[1] % 2 == 1
main(check)
"""


@pytest.fixture
def told(tmp_path):
    """What is told of a script: whether all symptoms are gone, and the text."""
    (tmp_path / "check.py").write_text(CHECK)

    def tell(source, seconds=60.0):
        (tmp_path / "mine.py").write_text(source)
        check = checking.Check(str(tmp_path / "check.py"), {"train": "function"})
        check.symptom("The first number is odd.")(None)
        check.symptom("The second number is odd.")(None)
        return checking.verdict(check, tmp_path / "mine.py", seconds)

    return tell


def test_a_script_without_symptoms_passes_whatever_it_prints(told):
    gone, text = told("import os; print('{}'); os.write(1, b'x')\ndef train(seed): print('hm'); return 2, 4")
    assert gone
    assert text.splitlines() == ["gone         The first number is odd.", "gone         The second number is odd."]


def test_a_symptom_that_is_left_is_named_with_what_was_printed(told):
    gone, text = told("def train(seed): print('hm'); return 1, 2")
    assert not gone
    assert text.splitlines() == [
        "still there  The first number is odd.",
        "gone         The second number is odd.",
        "",
        "It printed:",
        "hm",
    ]


def test_a_script_that_raises_or_exits_when_trained_has_its_symptoms_still(told):
    gone, text = told(
        "calls = []\ndef train(seed):\n    calls.append(seed)\n    if len(calls) > 1: raise SystemExit(0)\n    1 / 0"
    )
    assert not gone
    assert text.splitlines() == [
        "still there  The first number is odd. (ZeroDivisionError: division by zero)",
        "still there  The second number is odd. (SystemExit: 0)",
    ]


def test_a_script_that_hangs_is_stopped(told):
    gone, text = told("import time\ndef train(seed): time.sleep(1000)", 3.0)
    assert not gone
    assert text.splitlines()[-1] == "It ran for 3 seconds and was stopped."
    assert text.startswith("not tried")


def test_a_script_that_ends_the_process_has_not_passed(told):
    gone, text = told("import os\ndef train(seed): os._exit(0)")
    assert not gone
    assert text.endswith("It ended the process.")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def train(seed", "It is not Python, line 1: '(' was never closed."),
        ("# A label,\n# as in a download.\n\ndef train(seed", "It is not Python, line 4: '(' was never closed."),
        ("def other(seed): pass", "It defines no function train, which is needed here."),
        ("exit(0)", "It does not load: SystemExit: 0."),
        ("import not_there", "It does not load: ModuleNotFoundError: No module named 'not_there'."),
    ],
)
def test_a_script_that_does_not_load_is_told_why(tmp_path, source, why):
    (tmp_path / "mine.py").write_text(source)
    with pytest.raises(checking.Unusable) as caught:
        checking.Check("check.py", {"train": "function"}).load(tmp_path / "mine.py")
    assert str(caught.value) == why
