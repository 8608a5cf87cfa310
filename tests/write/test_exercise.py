"""A judge survives what it judges, says what happened, and does so again whenever a file is saved."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading

import pytest

from judging_case import WRITE, judge_of, module_of, wrong_of
from warmup.content import one_file
from warmup.project import ProblemError
from warmup.run import exercise, process

SLUG = "causal-attention"
HEAD = "def multi_head_attention(x, w_qkv, w_out, n_heads, keep=None):\n"
HOSTILE = {
    "hangs": (HEAD + "    while True: pass\n", "used 1 seconds of processor time and was stopped"),
    "hangs_while_it_is_loaded": ("while True: pass\n", "That was while it was loaded"),
    "leaves": ("import os\n" + HEAD + "    os._exit(0)\n", "ended the process"),
    "kills": ("import os\n" + HEAD + "    os.kill(os.getpid(), 11)\n", "ended the process: SIGSEGV"),
    "exits": (HEAD + "    exit(0)\n", "it called exit"),
    "raises": (HEAD + "    raise KeyboardInterrupt('no')\n", "raised KeyboardInterrupt: no\n  line 2: raise"),
    "raises_what_cannot_be_told": (
        "class Odd(Exception):\n    def __str__(self): raise self\n" + HEAD + "    raise Odd\n",
        "its text cannot be read",
    ),
    "recurses": (HEAD + "    return multi_head_attention(x, w_qkv, w_out, n_heads)\n", "calls itself without end"),
    "prints": (HEAD + "    for i in range(10**5): print('so many', i)\n    return x\n", "It printed:\n    so many 0\n"),
    "returns_none": (HEAD + "    pass\n", "returned NoneType None, expected a Tensor"),
    "returns_a_list": (HEAD + "    return x.tolist()\n", "returned list"),
    "returns_another_shape": (HEAD + "    return x[0]\n", "got shape (1, 2), expected (1, 1, 2)"),
    "returns_another_dtype": (HEAD + "    return x.double()\n", "got dtype torch.float64"),
    "needs_gigabytes": ("import torch\n" + HEAD + "    return torch.ones(2**32)\n", "can't allocate memory"),
    "patches_torch": (
        "import torch\n" + HEAD + "    torch.Tensor.double = id\n    return x\n",
        "changed torch.Tensor.",
    ),
    "changes_a_setting": (
        "import torch\ntorch.set_default_dtype(torch.float64)\n" + HEAD + "    return x\n",
        "it changed torch's or Python's settings",
    ),
    "overwrites": (HEAD + "    return x.zero_()\n", "the argument x was changed"),
    "hides_what_is_forbidden": (
        "import torch\nhidden = getattr(torch.nn.functional, 'scaled_dot_' + 'product_attention')\n"
        + HEAD
        + "    return hidden(x, x, x)\n",
        "it calls scaled_dot_product_attention, which is forbidden",
    ),
    "names_what_is_forbidden": (
        "from torch.nn.functional import scaled_dot_product_attention as sdpa\n" + HEAD + "    return x\n",
        "line 1 uses scaled_dot_product_attention, which is forbidden",
    ),
    "is_no_python": ("def (:\n", "It is not Python, line 1"),
    "is_no_text": (b"\xff", "cannot be read"),
    "defines_nothing": ("multi_head_attention = 1\n", "expected a function"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_solution_does_is_said(name, runner, tmp_path, monkeypatch):
    monkeypatch.setattr(process, "CLOCK", 100)  # the machine may be busy
    source, told = HOSTILE[name]
    file = tmp_path / "mine.py"
    file.write_bytes(source if isinstance(source, bytes) else source.encode())
    found = exercise.judged(runner, SLUG, file, seconds=1 if name.startswith("hangs") else 60)
    assert not found.passed
    assert told in found.text


LEAVES = """\
- name: leaves
  because: It leaves.
  changes:
    - right: |
        import math
      wrong: |
        import os
        os._exit(0)
"""


@pytest.mark.parametrize("command", [False, True])
def test_known_mistake_that_ends_the_process_hides_no_verdict(command, runner, tmp_path, monkeypatch):
    folder = tmp_path / "write" / SLUG
    shutil.copytree(WRITE / SLUG, folder)
    shutil.copy(WRITE / "judging.py", folder.parent)
    shutil.copy(WRITE.parent / "watching.py", tmp_path)
    file, wrong = folder / "mistakes.yml", tmp_path / "mine.py"
    file.write_text(LEAVES + file.read_text("utf-8"), "utf-8")
    wrong.write_text(wrong_of(SLUG)["unscaled"], "utf-8")
    if command:
        judge = tmp_path / "judge.py"
        judge.write_text(one_file.assembled(folder / "judge.py"), "utf-8")
        ended = subprocess.run([sys.executable, judge, wrong], cwd=tmp_path, capture_output=True, text=True)
        assert ended.returncode == 1
        text = ended.stdout
    else:
        monkeypatch.setattr(exercise, "EXERCISES", folder.parent)
        text = exercise.judged(runner, SLUG, wrong).text
    assert "    torch.manual_seed(0)\n    x = torch.randn(" in text
    assert "ended the process" not in text


def test_a_solution_saved_with_a_mark_is_read(runner, tmp_path):
    mine, right = tmp_path / "mine.py", (WRITE / SLUG / "solution.py").read_text("utf-8")
    mine.write_text("\ufeff" + right, "utf-8")
    assert exercise.judged(runner, SLUG, mine).passed
    command = [sys.executable, WRITE / SLUG / "judge.py", mine]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0
    assert subprocess.run([*command, "--group", "1"], capture_output=True).returncode == 0


def test_a_judge_without_groups_is_refused():
    empty = judge_of(SLUG).__class__("judge.py", {})
    found = empty.judge("x = 1")
    assert not found.passed
    assert "no groups of checks, so it proves nothing" in module_of(SLUG).told(empty, found)


CLEARS = """
import sys
frame = sys._getframe()
while not hasattr(frame.f_locals.get("judge") or frame.f_locals.get("self"), "groups"):
    frame = frame.f_back
(frame.f_locals.get("judge") or frame.f_locals.get("self")).groups.clear()
"""


def test_a_solution_that_clears_its_judge_does_not_pass(runner, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(CLEARS, "utf-8")
    assert not exercise.judged(runner, SLUG, mine).passed
    mine.write_text(CLEARS + (WRITE / SLUG / "solution.py").read_text("utf-8"), "utf-8")
    judged = exercise.judged(runner, SLUG, mine)
    assert not judged.passed and "the solution changed its judge" in judged.text


WAITS = "import time\ntime.sleep({seconds})\n"


def test_a_right_solution_that_waits_is_not_stopped_at_its_limit(runner, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(WAITS.format(seconds=11) + (WRITE / SLUG / "solution.py").read_text("utf-8"))
    assert exercise.judged(runner, SLUG, mine, seconds=10).passed


@pytest.mark.parametrize("command", [False, True])
def test_who_never_ends_the_wait_gets_no_verdict(command, runner, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(WAITS.format(seconds=1000))
    if command:
        passed, text = module_of(SLUG).verdict_of(judge_of(SLUG), mine, 4)
    else:
        found = exercise.judged(runner, SLUG, mine, seconds=4)
        passed, text = found.passed, found.text
    assert not passed
    assert "stopped after 20 seconds, your machine may be busy" in text
    assert "This is no verdict" in text and "FAIL" not in text


def test_right_solution_passes_and_is_told_what_was_not_checked(runner):
    found = exercise.judged(runner, SLUG, WRITE / SLUG / "solution.py")
    assert found.passed
    assert found.text.endswith("Not checked: speed and memory.")


def test_first_failing_case_can_be_pasted_and_names_the_known_mistake(runner, tmp_path):
    (tmp_path / "mine.py").write_text(wrong_of(SLUG)["unscaled"], "utf-8")
    found = exercise.judged(runner, SLUG, tmp_path / "mine.py")
    assert "    torch.manual_seed(0)\n    x = torch.randn(" in found.text
    assert "A known mistake gives the same: The scores are not divided by the square root of D." in found.text


def test_command_tells_a_file_that_is_not_there_from_a_wrong_one(tmp_path):
    command = [sys.executable, WRITE / SLUG / "judge.py", "no_such.py"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 2


def test_command_judges_in_a_process_of_its_own(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("import atexit, os\natexit.register(os._exit, 0)\n" + HOSTILE["leaves"][0])
    ended = subprocess.run([sys.executable, WRITE / SLUG / "judge.py", file], capture_output=True, text=True)
    assert ended.returncode == 1
    assert "it ended the process" in ended.stdout


def test_file_is_judged_again_when_it_is_saved(runner, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text((WRITE / SLUG / "starter.py").read_text("utf-8"))
    judgments = exercise.saved(runner, SLUG, mine, untouched=True)
    right = (WRITE / SLUG / "solution.py").read_text("utf-8")
    threading.Timer(0.5, lambda: mine.write_text(HEAD)).start()
    assert "It is not Python" in next(judgments).text
    mine.write_text(right)
    assert next(judgments).passed


def test_own_file_is_a_copy_of_the_starter_and_never_written_over(runner, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(exercise, "saved", lambda *_: [exercise.Judged(True, "fine", 0.1)])
    mine = tmp_path / "my files" / "causal_attention.py"
    exercise.write(SLUG, mine.parent)
    assert mine.read_bytes() == (WRITE / SLUG / "starter.py").read_bytes()
    assert str(mine) in capsys.readouterr().out
    mine.write_text("# what I wrote\n")
    exercise.write(SLUG, mine.parent)
    assert mine.read_text() == "# what I wrote\n"
    assert "as you left it" in capsys.readouterr().out


@pytest.mark.parametrize("slug", ["", "no-such", "../write/causal-attention"])
def test_unknown_exercise_is_refused_with_those_that_exist(slug, tmp_path):
    with pytest.raises(ProblemError, match="There is no such exercise.*causal-attention"):
        exercise.write(slug, tmp_path)
