"""Exercises and trainers as they are read: their order, their neighbors, their questions, and trainers' changes."""

from __future__ import annotations

import pytest

from warmup.content.mistakes import CannotApply, Change, Mistake
from warmup.kinds import levels

CODE = """def train():
    for _ in range(3):
        a = 1
        b = 2
    a = 3
"""


@pytest.fixture
def another(sample):
    """Writes another exercise, with another front matter."""

    def another(slug: str, old: str = "", new: str = "") -> None:
        page = sample / "docs/practice/write/add.md"
        page.with_name(f"{slug}.md").write_text(page.read_text().replace(old, new))

    return another


def test_exercises_come_by_rank_and_those_without_one_last_by_name(sample, another):
    another("third", "rank: 2", "rank: 3")
    another("zero")
    another("b", "rank: 2\n", "")
    another("a", "rank: 2\n", "")
    another("first", "rank: 2", "rank: 1")
    exercises = levels.load(sample / "docs").exercises
    assert [one.slug for one in exercises] == ["first", "add", "zero", "third", "a", "b"]
    assert [one.previous and one.previous.slug for one in exercises] == [None, "first", "add", "zero", "third", "a"]
    assert [one.next and one.next.slug for one in exercises] == ["add", "zero", "third", "a", "b", None]


def test_exercises_are_grouped_by_topic_in_the_order_of_topics(sample, another):
    another("first", "topic: Layers\nminutes: 5\nrank: 2", "topic: Training\nminutes: 5\nrank: 1")
    another("odd", "topic: Layers", "topic: Something")
    groups = levels.load(sample / "docs").exercises_by_topic
    assert [(topic, [one.slug for one in found]) for topic, found in groups.items()] == [
        ("Layers", ["add"]),
        ("Training", ["first"]),
        ("", ["odd"]),
    ]


def test_a_question_knows_its_exercises_and_trainers_once_however_often_it_is_read(sample):
    for _ in range(2):
        site = levels.load(sample / "docs")
        found = {question.id: [one.id for one in question.practice] for question in site.questions if question.practice}
        assert found == {
            "junior/autograd/thing": ["practice/write/add", "practice/trainers/stands-still"],
            "mid/autograd/thing": ["practice/trainers/stands-still"],
        }
    [trainer] = site.trainers
    assert [question.id for question in trainer.related] == ["mid/autograd/thing", "junior/autograd/thing"]


def test_an_exercise_says_what_its_page_and_its_folder_say(sample):
    [exercise] = levels.load(sample / "docs").exercises
    assert (exercise.level, exercise.topic, exercise.minutes, exercise.rank) == ("junior", "Layers", 5, 2)
    assert (exercise.ask, exercise.line) == ("Write the line that adds.", "total = a + b")
    assert [hint.text for hint in exercise.hints] == ["Which operator?", "Not minus."]
    assert [fold.title for fold in exercise.follow_ups] == ["And three numbers?"]
    assert [name for name, _ in exercise.grades] == ["Weak", "Good", "Strong"]
    folder = "practice/write/add"
    assert exercise.programs(sample / "snippets") == [
        f"{folder}/{name}" for name in ("starter.py", "judge.py", "solution.py", "also/sum.py")
    ]
    [mistake] = exercise.mistakes(sample / "snippets")
    assert (mistake.name, mistake.why) == ("minus", "A minus subtracts.")


@pytest.mark.parametrize("kind", ["write/add", "trainers/stands-still"])
@pytest.mark.parametrize("front", ["", "---\ntitle: [\n---\n", "---\n- a\n---\n", "---\ncore: 7\nbugs: [1]\n---\n"])
def test_a_damaged_page_is_a_problem_and_no_crash(sample, kind, front):
    from warmup import checks

    (sample / f"docs/practice/{kind}.md").write_text(front)
    site = levels.load(sample / "docs")
    assert any(f"{kind}.md" in str(problem) for problem in checks.problems(site, sample / "snippets"))


@pytest.mark.parametrize("kind", ["write", "trainers"])
def test_a_damaged_program_is_a_problem_and_no_crash(sample, kind):
    from warmup import checks

    for text in (b"\xff", b"def (", b""):
        for path in (sample / f"snippets/practice/{kind}").rglob("*.py"):
            path.write_bytes(text)
        assert checks.problems(levels.load(sample / "docs"), sample / "snippets")


def test_a_change_takes_the_indentation_of_its_place():
    change = Change(right="b = 2\nif b:\n    a = 1\n", wrong="a = 1\nb = 2\n")
    right = CODE.replace("        a = 1\n        b = 2\n", "        b = 2\n        if b:\n            a = 1\n")
    assert change.mended(CODE) == right
    assert change.made(right) == CODE


def test_the_line_of_a_mistake_is_the_first_that_is_wrong():
    assert Change(right="b = 2\na = 1\n", wrong="a = 1\nb = 2\n").line(CODE) == 3
    assert Change(right="a = 1\nb = 3\n", wrong="a = 1\nb = 2\n").line(CODE) == 4
    mistake = Mistake("x", "It is.", (Change(right="a = 4", wrong="a = 3"), Change(right="b = 5", wrong="b = 2")))
    assert mistake.line_in(CODE) == 4
    assert mistake.made(mistake.mended(CODE)) == CODE


@pytest.mark.parametrize(
    ("text", "message"),
    [("c = 1", "'c = 1' is not there"), ("= 1", "is not there"), ("", "is not"), ("x", "2 times")],
)
def test_a_change_that_does_not_fit_one_place_says_so(text, message):
    with pytest.raises(CannotApply, match=message):
        Change(right=text, wrong="y").made(CODE + "x\nif a:\n    x\n")
