"""What holds for each broken trainer: its page's bugs are all that differs, and its check tells them apart."""

from __future__ import annotations

import ast
import io
import re
import tokenize

import pytest

from trainer import PAGES, SLUGS, TRAINERS, places, trainer_of

COUNTED = re.compile(
    r"\b(two|three|four|both|[2-4]|second|third|other|another|more|last|remaining) (bugs?|faults?|mistakes?)\b", re.I
)


@pytest.fixture(params=SLUGS)
def trainer(request):
    return trainer_of(request.param)


def comments(text):
    found = [one.string for one in tokenize.generate_tokens(io.StringIO(text).readline) if one.type == tokenize.COMMENT]
    nodes = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
    ]
    return sorted(found), sorted(ast.get_docstring(node) or "" for node in nodes)


def test_each_trainer_has_a_page():
    assert {path.stem for path in PAGES.glob("*.md")} - {"index"} == set(SLUGS)
    assert all((TRAINERS / slug / "check.py").is_file() for slug in SLUGS)


def test_the_bugs_of_the_page_turn_broken_into_fixed(trainer):
    for changes in trainer.changes.values():
        for change in changes:
            assert len(places(trainer.broken, change["broken"])) == 1, change["broken"]
    assert trainer.variant([]) == trainer.fixed
    assert trainer.variant(trainer.bugs) == trainer.broken


def test_no_comment_differs(trainer):
    assert comments(trainer.broken) == comments(trainer.fixed)


def test_the_script_fits_a_page_and_has_its_work_in_train(trainer):
    lines = trainer.broken.splitlines()
    header = lines.index("# ///", 1) + 1 if lines[0] == "# /// script" else 0
    assert 40 <= len(lines) - header <= 80
    assert max(map(len, lines)) <= 84
    assert "train" in trainer.check.check.keeps


def test_the_check_accepts_the_repaired_script(trainer):
    assert not any(trainer.symptoms().values())
    assert trainer.script().printed.getvalue() == "", "its functions print nothing"


def test_the_check_rejects_the_broken_script(trainer):
    assert any(trainer.symptoms(*trainer.bugs).values())


def test_the_check_rejects_each_bug_alone(trainer):
    found = {name: trainer.symptoms(name) for name in trainer.bugs}
    assert all(any(one.values()) for one in found.values()), found


def test_nothing_says_how_many_bugs_there_are(trainer):
    before = trainer.page.text.partition("\n## Diagnosis")[0].partition("\n---\n")[2]
    words = "\n".join(words for words, _ in trainer.check.check.experiments)
    assert not COUNTED.search(before + trainer.broken + words)
