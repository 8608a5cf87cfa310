"""One program after another in one Python: each begins as the first did."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from warmup.content import one_file, outputs
from warmup.project import ROOT, SNIPPETS
from warmup.wasm import inside, judges

# In a process of its own, as in a browser: it changes what pytest needs.
DRIVER = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from warmup.wasm import inside, judges
modules, programs = json.load(sys.stdin)
inside.prepare(modules)
for source in programs:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        result = json.loads(inside.run("p.py", source))
    print(json.dumps([result["code"], out.getvalue(), err.getvalue(), result["torch"]]))
"""


def run(folder, *programs: str, modules: tuple[str, ...] = ()) -> list[list]:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps([modules, programs]),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")},
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_program_finds_nothing_of_the_one_before(tmp_path):
    first = "import sys, warnings\nleft = 1\nsys.argv.append('x')\nwarnings.simplefilter('ignore')"
    shown = "'left' in globals(), len(sys.argv), __name__, 'warmup' in sys.modules"
    second = f"import sys, warnings\nprint({shown})\nwarnings.warn('w')"
    _, (code, out, err, _) = run(tmp_path, first, second)
    assert code == 1 and out == "False 1 __main__ False\n" and err.endswith("UserWarning: w\n")


@pytest.mark.parametrize(
    ("source", "code", "said"),
    [
        ("1 / 0", 1, 'p.py", line 1, in <module>\n    1 / 0'),
        ("x = (", 1, "SyntaxError"),
        ("import sys; sys.exit()", 0, ""),
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('no')", 1, "no\n"),
        ("import inspect\ndef f(): pass\nprint(inspect.getsource(f), end='')", 0, ""),
    ],
)
def test_the_end_of_a_program_is_what_python_makes_of_it(tmp_path, source, code, said):
    [(found, _, err, _)] = run(tmp_path, source)
    assert found == code and said in err and "inside.py" not in err


def test_torch_begins_as_in_a_new_process(tmp_path):
    change = """
import torch
torch.manual_seed(5), torch.set_grad_enabled(False), torch.set_default_dtype(torch.float64)
torch.set_default_device("meta"), torch.use_deterministic_algorithms(True), torch.autograd.set_detect_anomaly(True)
torch.set_printoptions(precision=1, sci_mode=True)
"""
    look = """
import torch
x = torch.full((3,), 1 / 3, requires_grad=True)
print(x, x.dtype, x.device, (x * 2).requires_grad)
print(torch.are_deterministic_algorithms_enabled(), torch.is_anomaly_enabled())
"""
    (_, new, _, version), _, (code, out, err, _) = run(
        tmp_path, look, change, look, modules=("numpy", "torch", "torch.optim")
    )
    seeds = run(tmp_path, *["import torch; print(torch.initial_seed()); torch.manual_seed(5)"] * 2, modules=("torch",))
    assert seeds[0][1] != seeds[1][1] and "5\n" not in (seeds[0][1], seeds[1][1])
    alone = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout
    assert (code, err) == (0, "") and new == out == alone and version.startswith("2.")


def test_programs_of_the_site_print_their_records_one_after_the_other(tmp_path):
    names = ["zero_grad", "zero_grad_none", "zero_grad"]
    paths = [SNIPPETS / f"junior/autograd/{name}.py" for name in names]
    results = run(tmp_path, *(outputs.without_header(path.read_text()) for path in paths), modules=("torch",))
    for path, (code, out, err, _) in zip(paths, results, strict=True):
        assert (code, out) == (0, outputs.read(path.with_suffix(".out")).text), err


# What the judge of an exercise and the check of a trainer offer here.
JUDGE = """from dataclasses import dataclass

@dataclass
class Verdict:
    passed: bool
    seconds: float = 1.5

class judge:
    judge = lambda source, name: Verdict("right" in source)

def told(judge, verdict):
    return f"{verdict.passed} in {verdict.seconds} s, in {__name__} of {__file__}"
"""
CHECK = """check = None

def tried(check, path):
    gone = "right" in path.read_text()
    return gone, f"{gone} of {path.name}, in {__name__} of {__file__}"
"""
QUOTES = """# right \U0001f525 {x} \\ ''' "\n""" + '"""'


@pytest.mark.parametrize(
    ("name", "judge", "said"),
    [
        ("judge.py", JUDGE, "{} in 0.0 s, in judge of judge.py\n"),
        ("check.py", CHECK, "{} of fixed.py, in check of check.py\n"),
    ],
)
@pytest.mark.parametrize(("source", "passed"), [(QUOTES, True), ("# wrong\n", False)])
def test_a_judge_and_what_it_judges_are_one_program(tmp_path, monkeypatch, name, judge, said, source, passed):
    monkeypatch.setattr(inside, "run", lambda file, program: (file, program))
    file, program = inside.judge(name, judge, source)
    [(code, out, err, _)] = run(tmp_path, program)
    assert file == name and (code, out, err) == (not passed, said.format(passed), "")


@pytest.mark.parametrize("name", ["practice/write/rms-norm/judge.py", "practice/trainers/tied-weights/check.py"])
def test_a_judge_of_the_site_accepts_its_answer_and_prints_the_same_again(tmp_path, monkeypatch, name):
    judge = SNIPPETS / name
    assert judge in judges.judges() and judges.is_judge(judge)
    monkeypatch.setattr(inside, "run", lambda file, program: program)
    program = inside.judge(judge.name, one_file.assembled(judge), judges.answer(judge))
    (code, out, err, _), (_, again, *_) = run(tmp_path, program, program, modules=("torch",))
    assert (code, err) == (0, "") and out and again == out
