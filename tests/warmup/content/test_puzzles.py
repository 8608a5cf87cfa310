"""Puzzles: each mistake in one gets one clear message, and the real ones are what they claim to be."""

from __future__ import annotations

import copy
import re

import pytest

from warmup import checks
from warmup.content import levels, puzzles
from warmup.project import SNIPPETS

QUESTION = """---
title: What is it?
kind: concept
tags: [gradients]
minutes: 2
---

## Say it

It is the answer.

## Run it

```python title="thing.py"
--8<-- "junior/topic/thing.py"
```

```output
--8<-- "junior/topic/thing.out"
```

## They ask next

??? question "Why?"

    Because.

??? question "What would break?"

    This.

## Listening for

- **Weak**: a word
- **Good**: a reason
- **Strong**: a consequence
"""

GOOD = """---
title: Add two numbers
question: junior/topic/thing
choices:
  - variant: minus
    because: You took `+` for a minus.
  - text: |
      [1, 2]
    because: You expected both.
---

A plus adds, as [the page](../../junior/topic/thing.md) says.
"""
PROGRAM = "a = 1\nb = 2\nprint([a + b])\n"


@pytest.fixture
def project(tmp_path):
    """A project of one question and one good puzzle."""
    files = {
        "docs/junior/topic/index.md": "---\ntitle: Topic\norder: [thing]\n---\n\nText.\n",
        "docs/junior/topic/thing.md": QUESTION,
        "snippets/junior/topic/thing.py": "print(1)\n",
        "snippets/junior/topic/thing.out": "1\n",
        "docs/practice/predict/add-two.md": GOOD,
        "snippets/practice/predict/add_two.py": PROGRAM,
        "snippets/practice/predict/add_two.out": "[3]\n",
        "snippets/practice/predict/add_two__minus.py": PROGRAM.replace("+", "-"),
        "snippets/practice/predict/add_two__minus.out": "[-1]\n",
        "requirements-test.txt": "torch==9.9.9\n",
    }
    for name, text in files.items():
        write(tmp_path / name, text)
    return tmp_path


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def problems(project) -> list[str]:
    return [str(p) for p in checks.problems(levels.load(project / "docs"), project / "snippets")]


def the_one(project, where="docs/practice/predict/add-two.md") -> str:
    found = problems(project)
    assert len(found) == 1, "\n".join(found)
    assert where in found[0]
    return found[0]


def with_page(project, old, new) -> str:
    """The one problem that the project has after an edit of its puzzle's page."""
    assert old in GOOD
    write(project / "docs/practice/predict/add-two.md", GOOD.replace(old, new))
    return the_one(project)


def test_a_good_puzzle_has_no_problem(project):
    assert problems(project) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title: Add two numbers\n", "", ":1: The front matter has no title."),
        ("title: Add two numbers", "title: ''", ":2: The front matter has no title."),
        ("title: Add two numbers", "title: 7", ":2: title is not a str."),
        ("question: junior/topic/thing\n", "", ":1: The front matter has no question."),
        ("question: junior/topic/thing", "question: junior/topic/gone", ":3: question names 'junior/topic/gone'"),
        ("question: junior", "level: junior\nquestion: junior", ":3: The front matter has an unknown key, 'level'"),
        ("A plus adds, as [the page](../../junior/topic/thing.md) says.", "", ":11: The puzzle does not say why."),
        ("    because: You took `+` for a minus.\n", "", ":5: The choice does not say which mistake leads to it."),
        ("because: You expected both.", "because: ' '", ":7: because is not a text."),
        ("because: You expected both.", "because:", ":7: because is not a text."),
        (
            "    because: You expected both.",
            "    becuase: x\n    because: x",
            ":7: The choice has an unknown key, 'becuase'",
        ),
        ("  - text: |\n      [1, 2]\n", "  - text: 1.5\n", ":7: text is not a text. Write it, in quotes"),
        (
            "  - variant: minus\n",
            "  - variant: minus\n    text: '[0]'\n",
            ":5: The choice needs one of variant and text.",
        ),
        ("  - text: |\n      [1, 2]\n    because", "  - because", ":7: The choice needs one of variant and text."),
        ("[1, 2]", "[ 3 ]", ":7: The choice is the same output as the program's own."),
        ("[1, 2]", "[-1\n      ]", ":7: The choice is the same output as that of choice 1."),
        ("  - text: |\n      [1, 2]\n    because: You expected both.\n", "", ":4: There are 1 wrong choices; 2 to 4"),
        (
            "because: You expected both.",
            "because: You expected both."
            "\n  - text: a\n    because: b\n  - text: c\n    because: d\n  - text: e\n    because: f",
            ":4: There are 5 wrong choices; 2 to 4",
        ),
        ("because: You expected both.", "because: You expected both.\n  - plus", ":10: A choice is not a mapping."),
    ],
)
def test_a_mistake_on_the_page_names_the_line(project, old, new, message):
    assert message in with_page(project, old, new)


def test_choices_that_are_no_list(project):
    message = problems_of_text(project, re.sub(r"choices:\n.*?---", "choices: minus\n---", GOOD, flags=re.S))
    assert any(":4: choices is not a list." in text for text in message)


def problems_of_text(project, text) -> list[str]:
    write(project / "docs/practice/predict/add-two.md", text)
    return problems(project)


def test_a_page_without_front_matter_is_named(project):
    assert any("add-two.md:1: The front matter is missing." in text for text in problems_of_text(project, "Text."))


def test_an_unknown_variant_and_its_orphaned_program(project):
    found = problems_of_text(project, GOOD.replace("variant: minus", "variant: times"))
    assert any(
        "add-two.md:5: The variant snippets/practice/predict/add_two__times.py does not exist." in text
        for text in found
    )
    for ending, kind in ((".py", "snippet"), (".out", "output")):
        assert any(f"add_two__minus{ending}: No page shows this {kind}." in text for text in found)
    assert len(found) == 3


def test_a_missing_program(project):
    (project / "snippets/practice/predict/add_two.py").unlink()
    expected = "add-two.md:1: The program snippets/practice/predict/add_two.py does not exist."
    assert any(expected in text for text in problems(project))


@pytest.mark.parametrize(("name", "line"), [("add_two", 1), ("add_two__minus", 5)])
def test_an_output_that_was_not_recorded(project, name, line):
    (project / f"snippets/practice/predict/{name}.out").unlink()
    assert (
        f":{line}: The output snippets/practice/predict/{name}.out has not been recorded. "
        f"Run: make record Q=practice/predict/{name}" in the_one(project)
    )


def test_a_long_program(project):
    longer = "".join(f"x{i} = {i}\n\n" for i in range(10)) + PROGRAM
    write(project / "snippets/practice/predict/add_two.py", longer)
    write(project / "snippets/practice/predict/add_two__minus.py", longer.replace("+", "-"))
    assert ":1: The program has 13 lines; at most 12" in the_one(project)
    shorter = longer.replace("x0 = 0\n", "")
    write(project / "snippets/practice/predict/add_two.py", shorter)
    write(project / "snippets/practice/predict/add_two__minus.py", shorter.replace("+", "-"))
    assert problems(project) == []


def test_a_variant_that_is_another_program(project):
    write(project / "snippets/practice/predict/add_two__minus.py", "a = 3\nb = 4\nprint([a - b])\n")
    assert problems(project) == []
    write(project / "snippets/practice/predict/add_two__minus.py", "a = 3\nb = 4\nprint([a - b])\nexit()\n")
    assert ":5: The variant differs from the program in 4 lines; at most 3." in the_one(project)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("[1, 2]", " [ 1,2 ]\n", True),
        ("True False", "True\nFalse", True),
        ("{'a': 1}", "{'a':1}", True),
        ("1 2", "12", False),
        ("1 -1", "1-1", False),
        ("[8, 8]", "[8.0, 8.0]", False),
    ],
)
def test_spacing_counts_only_between_words(one, other, same):
    assert (puzzles.squeeze(one) == puzzles.squeeze(other)) is same


# ---------- The real ones ----------

PUZZLES = levels.load().puzzles
FOLDER = SNIPPETS / puzzles.FOLDER


def collapsed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.slug)
def test_no_wrong_choice_is_the_key_and_each_is_what_a_variant_printed_or_a_named_misconception(puzzle):
    stem = puzzle.slug.replace("-", "_")
    key = collapsed((FOLDER / f"{stem}.out").read_text(encoding="utf-8"))
    recorded = {
        path.stem.partition("__")[2]: collapsed(path.read_text(encoding="utf-8"))
        for path in FOLDER.glob(f"{stem}__*.out")
    }
    shown = [(collapsed(output), wrong) for output, wrong in puzzle.shuffled(SNIPPETS)]
    assert [output for output, wrong in shown if wrong is None] == [key]
    assert len({output for output, _ in shown}) == len(shown)
    listed = {one["because"]: one for one in puzzle.page.meta["choices"]}
    assert len(shown) == len(listed) + 1
    for output, wrong in shown:
        if wrong:
            assert output != key
            assert wrong.because.strip()
            one = listed[wrong.because]
            assert output == (recorded[one["variant"]] if "variant" in one else collapsed(one["text"]))


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.slug)
def test_the_order_of_the_choices_is_not_that_of_the_front_matter(puzzle):
    turned = copy.copy(puzzle)
    turned.__dict__["choices"] = puzzle.choices[::-1]
    assert [output for output, _ in turned.shuffled(SNIPPETS)] == [output for output, _ in puzzle.shuffled(SNIPPETS)]


def test_the_key_stands_in_every_place():
    places = [[wrong for _, wrong in puzzle.shuffled(SNIPPETS)].index(None) for puzzle in PUZZLES]
    assert set(places) >= {0, 1, 2}
    assert max(places.count(place) for place in set(places)) <= len(places) * 0.6


def test_every_program_and_output_belongs_to_one_puzzle():
    claimed = [name for puzzle in PUZZLES for name in puzzle.files]
    assert sorted(claimed) == sorted(
        path.relative_to(SNIPPETS).as_posix() for path in FOLDER.iterdir() if path.suffix in (".py", ".out")
    )
