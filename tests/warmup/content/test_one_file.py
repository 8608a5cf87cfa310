"""Judges and checks as one file: they judge in an empty folder, and what cannot be put together is said."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from warmup.content import mistakes, one_file, sources
from warmup.kinds import levels
from warmup.project import SNIPPETS, ProblemError
from warmup.testing import SAMPLE

SITE = levels.load()
ATTENTION = SNIPPETS / "practice/write/causal-attention"


def run(folder: Path, judge: Path, attempt: Path) -> tuple[int, str]:
    """Exit code and output of an assembled judge beside a solution, with nothing of this project in reach."""
    (folder / judge.name).write_text(one_file.assembled(judge))
    (folder / "mine.py").write_text(attempt.read_text())
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, judge.name, "mine.py"]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert not result.stderr
    return result.returncode, result.stdout


def test_an_assembled_judge_accepts_what_is_right(tmp_path):
    code, said = run(tmp_path, ATTENTION / "judge.py", ATTENTION / "solution.py")
    assert code == 0 and "Passed" in said


def test_an_assembled_judge_rejects_what_is_wrong_and_knows_the_mistake(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(mistakes.programs(ATTENTION)["unscaled"], "utf-8")
    code, said = run(tmp_path, ATTENTION / "judge.py", wrong)
    assert code == 1
    assert "The scores are not divided by the square root of D." in " ".join(said.split())


def test_an_assembled_check_tells_a_mended_script_from_a_broken_one(tmp_path):
    trainer = SAMPLE / "snippets/practice/trainers/stands-still"
    assert run(tmp_path, trainer / "check.py", trainer / "broken.py") == (1, "still there\n")
    sources.copy(trainer, tmp_path / "mended")
    assert run(tmp_path, trainer / "check.py", tmp_path / "mended/fixed.py") == (0, "gone\n")


def test_an_assembled_check_of_a_real_trainer_names_symptoms(tmp_path):
    trainer = SITE.trainers[0]
    code, said = run(tmp_path, SNIPPETS / trainer.judge, SNIPPETS / trainer.start)
    assert code == 1 and said.startswith("still there ")


@pytest.mark.parametrize("page", SITE.drills, ids=lambda page: page.slug)
def test_every_judge_is_one_file_that_imports_torch_and_the_standard_library_only(page):
    text = one_file.assembled(SNIPPETS / page.judge)
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
    assert {name.partition(".")[0] for name in found} <= {"torch", *sys.stdlib_module_names}
    assert one_file.PATH_LINE not in text
    assert not [line for line in text.splitlines() if line == "WRONG: dict[str, str] = {}"] or page in SITE.trainers


def test_the_parts_stand_in_order(tmp_path):
    text = one_file.assembled(SAMPLE / "snippets/practice/write/add/judge.py")
    marks = ['"""Judge of the sum', "from __future__", "import runpy", "WRONG:", "def main(", "def judge("]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    assert text.count("from __future__") == 1
    assert '\'minus\': \'\'\'"""A minus subtracts."""' in text


def test_the_header_stays_on_top(tmp_path):
    judge = written(tmp_path, '# /// script\n# dependencies = ["torch"]\n# ///\n')
    assert one_file.assembled(judge).startswith('# /// script\n# dependencies = ["torch"]\n# ///\n\n"""')


def written(folder: Path, before: str = "", after: str = "", imports: str = "main") -> Path:
    """A judge with more text, beside what it shares."""
    judge = folder / "x" / "judge.py"
    judge.parent.mkdir(parents=True)
    source = SAMPLE / "snippets/practice/write"
    (folder / "judging.py").write_text((source / "judging.py").read_text())
    text = (source / "add/judge.py").read_text().replace("import main", f"import {imports}")
    judge.write_text(before + text.replace("def judge", f"{after}\n\ndef judge", 1))
    return judge


@pytest.mark.parametrize("wrong", ["x = '''a'''", "x = '\\n'", "x = 'a'", 'x = """a"""', "x = 'ä'"])
def test_a_wrong_solution_keeps_each_character(tmp_path, wrong):
    names: dict = {"__name__": "judge"}
    judge = written(tmp_path)
    judge.with_name("solution.py").write_text("x = 1")
    mistake = [{"name": "w", "because": "It is", "changes": [{"right": "x = 1\n", "wrong": f"{wrong}\n"}]}]
    judge.with_name("mistakes.yml").write_text(yaml.safe_dump(mistake, sort_keys=False))
    exec(one_file.assembled(judge), names)
    assert names["WRONG"] == {"w": f'"""It is"""\n\n{wrong}'}


@pytest.mark.parametrize(
    ("after", "imports", "message"),
    [
        ("sys = 3", "main", "bind sys to different things"),
        ("def main(): ...", "main", "bind main to different things"),
        ("from os import sys", "main", "bind sys to different things"),
        ("import json as runpy", "main", "bind runpy to different things"),
        ("for WRONG in []: ...", "main", "bind WRONG to different things"),
        ("", "main as begin", "imports something from judging as begin"),
        ("def (", "main", "cannot be read"),
    ],
)
def test_what_would_mean_something_else_in_one_file_is_refused(tmp_path, after, imports, message):
    judge = written(tmp_path, after=after, imports=imports)
    with pytest.raises(ProblemError, match=message):
        one_file.assembled(judge)


def test_what_shares_nothing_stays_as_it_is(tmp_path):
    judge = tmp_path / "x" / "judge.py"
    judge.parent.mkdir()
    judge.write_text("import json\n")
    assert one_file.shared(judge) is None
    assert one_file.assembled(judge) == "import json\n"
