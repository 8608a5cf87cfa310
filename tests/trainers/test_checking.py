"""The check of an edited script survives what such a script may do, and says what it was."""

from __future__ import annotations

import sys

import pytest

from trainer import TRAINERS

sys.path.insert(0, str(TRAINERS))
import checking
import watching

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
def told(tmp_path, monkeypatch):
    """What is told of a script: whether all symptoms are gone, and the text."""
    (tmp_path / "check.py").write_text(CHECK)
    monkeypatch.setattr(watching, "CLOCK", 100)  # the machine may be busy

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
    gone, text = told("def train(seed):\n    while True: pass", 3.0)
    assert not gone
    assert text.splitlines()[-1] == "It used 3 seconds of processor time and was stopped."
    assert text.startswith("not tried")


def test_a_script_that_waits_is_not_stopped_at_its_limit(told):
    gone, text = told("import time\ndef train(seed):\n    time.sleep(7)\n    return 2, 4", 6.0)
    assert gone, text


def test_children_count_all_together(told):
    source = """
import os, time
def train(seed):
    for _ in range(3):
        if not os.fork():
            end = time.process_time() + 3
            while time.process_time() < end: pass
            os._exit(0)
    while True: time.sleep(1)
"""
    gone, text = told(source, 6.0)
    assert not gone
    assert text.splitlines()[-1] == "It used 6 seconds of processor time and was stopped."


@pytest.mark.parametrize("counted", [True, False])
def test_the_clock_gives_no_verdict(counted, monkeypatch):
    if not counted:
        monkeypatch.setattr(watching, "cpu_seconds", lambda leader: None)
    source = "import time; time.sleep(1000)" if counted else "while True: pass"
    how, late = watching.limited([sys.executable, "-c", source], 0.5)
    assert late
    assert how.startswith("it was stopped after 2.5 seconds, your machine may be busy")


def test_a_script_that_is_late_is_told_to_be_tried_again(told, monkeypatch):
    monkeypatch.setattr(checking, "limited", lambda command, seconds: ("it was stopped", True))
    gone, text = told("def train(seed): return 2, 4")
    assert not gone
    assert text.splitlines()[-2:] == ["It was stopped.", "This is no verdict: try again."]


def test_a_check_without_symptoms_is_no_proof(tmp_path):
    (tmp_path / "check.py").write_text(CHECK.partition("@check")[0] + "main(check)\n")
    (tmp_path / "mine.py").write_text("def train(seed): pass")
    assert not checking.verdict(checking.Check(str(tmp_path / "check.py"), {}), tmp_path / "mine.py")[0]


def test_a_script_saved_with_a_mark_is_read(told):
    gone, text = told("\ufeffdef train(seed): return 2, 4")
    assert gone, text


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
