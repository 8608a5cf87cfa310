"""Bad exercises and trainers: each mistake gets one clear message that names the file and the line."""

from __future__ import annotations

import pytest

from warmup import checks
from warmup.kinds import levels

EXERCISE, TRAINER = "docs/practice/write/add.md", "docs/practice/trainers/stands-still.md"
ADD, STILL = "snippets/practice/write/add", "snippets/practice/trainers/stands-still"


def problems(sample) -> list[str]:
    return [str(p) for p in checks.problems(levels.load(sample / "docs"), sample / "snippets")]


def the_one(sample, where: str) -> str:
    found = problems(sample)
    assert len(found) == 1, "\n".join(found)
    assert where in found[0]
    return found[0]


def edit(sample, name: str, old: str, new: str) -> None:
    path = sample / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_sample_has_no_problem(sample):
    assert problems(sample) == []


@pytest.mark.parametrize(
    ("page", "old", "new", "message"),
    [
        (EXERCISE, "title: Add two numbers.\n", "", ":1: The front matter has no title."),
        (EXERCISE, "title: Add two numbers.", "title: 7", ":2: title is not a text."),
        (EXERCISE, "level: junior", "level: wizard", ":3: Unknown level 'wizard'."),
        (EXERCISE, "topic: Layers", "topic: layers", ":4: Unknown topic 'layers'. One of: Attention"),
        (EXERCISE, "minutes: 5", "minutes: soon", ":5: minutes is not a whole number"),
        (EXERCISE, "rank: 2", "rank: 0", ":6: rank is not a whole number"),
        (EXERCISE, "rank: 2", "rang: 2", ":6: The front matter has an unknown key, 'rang'."),
        (EXERCISE, "related: [junior/autograd/thing]\n", "", ":1: The front matter has no related."),
        (EXERCISE, "[junior/autograd/thing]", "[junior/autograd/gone]", ":7: related names 'junior/autograd/gone'"),
        (EXERCISE, "core:\n  ask: Write the line that adds.\n  line: total = a + b\n", "core: x\n", "not a mapping"),
        (EXERCISE, "  ask: Write the line that adds.\n", "", ":8: core has no ask."),
        (EXERCISE, "  line: total = a + b\n", "", ":8: core has no line."),
        (EXERCISE, "line: total = a + b", "line: total = b + a", ":8: The line of core does not stand in"),
        (EXERCISE, "## Sources\n", "## Links\n", "Unknown section 'Links'"),
        (EXERCISE, "## Task\n", "## Hints\n", "'Task' is missing"),
        (EXERCISE, "<!-- warmup:attempt -->", "", "'Task' has the marker warmup:attempt 0 times."),
        (EXERCISE, "    <!-- warmup:mistakes -->", "", "'Solution' has the marker warmup:mistakes 0 times."),
        (EXERCISE, '??? tip "Hint 2"\n\n    Not minus.\n', "", "'Hints' has 1 folded hints; 2 to 3 belong there."),
        (EXERCISE, "- **Good**", "- **Better**", "has the bullets ['Weak', 'Better', 'Strong']"),
        (EXERCISE, 'python title="solution.py"', "python", "A snippet is in a fence without a title."),
        (TRAINER, "minutes: 4", "minutes: 4\nbugs: []", ":6: The front matter has an unknown key, 'bugs'."),
        (TRAINER, "<!-- warmup:check -->", "", "'Script' has the marker warmup:check 0 times."),
        (TRAINER, "    <!-- warmup:bugs -->", "    <!-- warmup:bugs -->\n    <!-- warmup:bugs -->", "bugs 2 times."),
        (TRAINER, '??? tip "Hint 2"\n\n    Print the step.\n', "", "'Hints' has 2 folded hints; 3 to 5 belong there."),
        (TRAINER, "topic: Broken trainers", "topic: Training", ":4: Unknown topic 'Training'."),
    ],
)
def test_a_mistake_on_a_page(sample, page, old, new, message):
    edit(sample, page, old, new)
    found = problems(sample)
    assert [one for one in found if one.startswith(str(sample / page)) and message in one], "\n".join(found)


@pytest.mark.parametrize("name", ["starter.py", "judge.py", "solution.py", "mistakes.yml"])
def test_a_file_of_an_exercise_that_is_missing(sample, name):
    (sample / ADD / name).unlink()
    assert any(f"{ADD}/{name}: It does not exist." in one for one in problems(sample))


@pytest.mark.parametrize("name", ["broken.py", "mistakes.yml", "check.py", "symptom.py", "curves.py", "extension.py"])
def test_a_file_of_a_trainer_that_is_missing(sample, name):
    (sample / STILL / name).unlink()
    assert any(f"{STILL}/{name}: It does not exist." in one for one in problems(sample))


def test_a_file_in_the_place_of_a_script_that_is_made(sample):
    (sample / STILL / "fixed.py").write_text("x = 1\n")
    message = "fixed.py: Nothing reads this file. Delete it: its text is made of broken.py and mistakes.yml."
    assert message in the_one(sample, STILL)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("- name", "- title", ":1: This mistake has an unknown key, 'title'. Known: name, because, changes."),
        ("place += 0", "place += 5", ":1: A change does not apply: 'place += 5' is not there."),
        ("place += 1", "place += (1", ":1: What comes of it is no Python: "),
        ("place += 1", f"place += 1  # {'x' * 80}", ":1: The line has "),
    ],
)
def test_a_mistake_in_the_mistakes_of_a_trainer(sample, old, new, message):
    edit(sample, f"{STILL}/mistakes.yml", old, new)
    assert message in the_one(sample, f"{STILL}/mistakes.yml")


def test_each_bug_can_be_mended_alone_and_all_together(sample):
    path = sample / STILL / "mistakes.yml"
    text = path.read_text()
    path.write_text(text + text.replace("step", "other"))
    assert "does not apply: 'place += 0' is not there. Copy whole lines from broken.py" in the_one(sample, STILL)
    path.write_text("[]\n")
    assert "There is no mistake here. check.py is tried on at least one." in "".join(problems(sample))


def test_an_output_of_a_script_that_is_made_goes_with_its_text(sample):
    path = sample / STILL / "fixed.out"
    path.write_text("# recorded on a CPU, torch 9, 2026-01-01, fingerprint 0123456789abcdef\n3\n")
    assert "An exact output says where it was recorded." in the_one(sample, "fixed.out")


def test_a_judge_is_tried_on_right_and_wrong_solutions(sample):
    (sample / ADD / "also/sum.py").unlink()
    assert "There is no solution here." in the_one(sample, f"{ADD}/also")
    (sample / ADD / "mistakes.yml").write_text("[]\n")
    assert "There is no mistake here." in "".join(problems(sample))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("- name", "name", ":2: It is not YAML: "),
        ("- name: minus", "- name: ''", ":1: This mistake has no name."),
        ("A minus subtracts.", "", ":1: This mistake has no because."),
        ("A minus subtracts.", "7", ":1: because is not a text."),
        ("right:", "left:", ":1: The change has an unknown key, 'left'."),
        ("total = a + b", "", ":1: The change has no right."),
        ("total = a + b", "total = b + a", ":1: A change does not apply: 'total = b + a' is not there."),
        ("total = a - b", "total = (a", ":1: What comes of it is no Python: "),
        ("total = a - b", f"total = a  # {'x' * 80}", ":1: The line has "),
        ("A minus subtracts.", f"A minus {'x' * 80}", ":1: The line has "),
    ],
)
def test_a_mistake_in_a_list_of_mistakes(sample, old, new, message):
    edit(sample, f"{ADD}/mistakes.yml", old, new)
    assert message in the_one(sample, f"{ADD}/mistakes.yml")


def test_each_mistake_has_a_name_of_its_own(sample):
    path = sample / ADD / "mistakes.yml"
    path.write_text(path.read_text() * 2)
    assert ":8: There are two mistakes named minus." in the_one(sample, f"{ADD}/mistakes.yml")


def test_what_a_page_shows_does_not_scroll_and_a_judge_may_be_wide(sample):
    for name in (f"{ADD}/also/sum.py", f"{ADD}/solution.py", f"{STILL}/broken.py"):
        edit(sample, name, "def ", f"# {'x' * 83}\n\n\ndef ")
    edit(sample, f"{ADD}/judge.py", "def ", f"# {'x' * 83}\n\n\ndef ")
    found = problems(sample)
    assert len(found) == 2 and all("The line has 85 columns; at most 84." in one for one in found), found


def test_a_judge_that_cannot_be_one_file(sample):
    edit(sample, f"{ADD}/judge.py", "def judge", "runpy = 7\n\n\ndef judge")
    assert "bind runpy to different things" in the_one(sample, f"{ADD}/judge.py")


@pytest.mark.parametrize("folder", ["practice/write/other", "practice/write/add", "practice/trainers/stands-still"])
def test_a_file_that_no_exercise_and_no_trainer_has(sample, folder):
    path = sample / "snippets" / folder / "more.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text("x = 1\n")
    assert "No page shows this snippet." in the_one(sample, "more.py")


def test_an_output_that_the_page_does_not_show(sample):
    (sample / STILL / "check.out").write_text("1\n")
    assert "No page shows this output." in the_one(sample, "check.out")


def test_what_all_share_is_imported_where_the_path_line_finds_it(sample):
    edit(sample, f"{ADD}/judge.py", "sys.path.insert(0, str(Path(__file__).parents[1]))\n", "")
    assert any("It imports judging, which its header does not declare." in one for one in problems(sample))
    edit(sample, f"{ADD}/solution.py", "def ", "from judging import main\n\n\ndef ")
    assert any("solution.py:1: It imports judging" in one for one in problems(sample))


def test_an_edit_of_what_all_share_is_seen(sample):
    assert problems(sample) == []
    edit(sample, "snippets/practice/write/judging.py", "def main", "def judge(): ...\n\n\ndef main")
    assert "bind judge to different things" in the_one(sample, "judge.py")


@pytest.mark.parametrize(
    ("solution", "there"),
    [
        ("    total = (\n        a\n        + b\n    )\n", False),
        ("    total = a + b  # both\n", True),
        ("    total = (  # both\n        sum((a, b))\n    )\n", False),
        ("    total = a + b + 0\n", False),
        ("    # total = a + b\n", False),
        ("    total = a \\\n        + b\n", False),
    ],
)
def test_the_core_line_is_whole_lines_of_the_solution_however_they_are_commented(sample, solution, there):
    edit(sample, f"{ADD}/solution.py", "    total = a + b\n", solution)
    found = [one for one in problems(sample) if "The line of core does not stand in" in one]
    assert bool(found) is not there


def test_the_core_line_may_be_wrapped_in_the_solution(sample):
    edit(sample, EXERCISE, "line: total = a + b", "line: total = sum((a, b))")
    edit(sample, f"{ADD}/solution.py", "    total = a + b\n", "    total = sum(\n        (a, b)  # both\n    )\n")
    edit(sample, f"{ADD}/mistakes.yml", "total = a + b", "total = sum(\n            (a, b)  # both\n        )")
    assert problems(sample) == []


def test_a_junior_exercise_with_more_than_two_follow_ups_marks_two(sample):
    fold, more = '??? question "And three numbers?"', '??? question "More?"\n\n    A.\n\n'
    edit(sample, EXERCISE, fold, f"{more}{more}{fold}")
    assert "0 are marked as asked first" in the_one(sample, "add.md:")
    edit(sample, EXERCISE, "level: junior", "level: mid")
    assert not any("asked first" in one for one in problems(sample))
    edit(sample, EXERCISE, "level: mid", "level: junior")
    for _ in range(2):
        edit(sample, EXERCISE, '??? question "More?"', '??? question first "More?"')
    assert problems(sample) == []
