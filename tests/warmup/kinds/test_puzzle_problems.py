"""Bad puzzles: each mistake gets one clear message that names the file and the line."""

from __future__ import annotations

import re

import pytest

from warmup import checks
from warmup.kinds import levels
from warmup.testing import SAMPLE

PAGE = "docs/practice/predict/add-two.md"
GOOD = (SAMPLE / PAGE).read_text(encoding="utf-8")
PROGRAM = (SAMPLE / "snippets/practice/predict/add_two.py").read_text(encoding="utf-8")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def problems(sample) -> list[str]:
    return [str(p) for p in checks.problems(levels.load(sample / "docs"), sample / "snippets")]


def the_one(sample, where="docs/practice/predict/add-two.md") -> str:
    found = problems(sample)
    assert len(found) == 1, "\n".join(found)
    assert where in found[0]
    return found[0]


def with_page(sample, old, new) -> str:
    """The one problem that the sample has after an edit of its puzzle's page."""
    assert old in GOOD
    write(sample / "docs/practice/predict/add-two.md", GOOD.replace(old, new))
    return the_one(sample)


def test_a_good_puzzle_has_no_problem(sample):
    assert problems(sample) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title: Add two numbers\n", "", ":1: The front matter has no title."),
        ("title: Add two numbers", "title: ''", ":2: The front matter has no title."),
        ("title: Add two numbers", "title: 7", ":2: title is not a text."),
        ("question: junior/autograd/thing\n", "", ":1: The front matter has no question."),
        (
            "question: junior/autograd/thing",
            "question: junior/autograd/gone",
            ":3: question names 'junior/autograd/gone'",
        ),
        ("question: junior", "level: junior\nquestion: junior", ":3: The front matter has an unknown key, 'level'"),
        ("A plus adds, as [the page](../../junior/autograd/thing.md) says.", "", ":11: The puzzle does not say why."),
        ("    because: You took `+` for a minus.\n", "", ":5: The choice has no because."),
        ("because: You expected both.", "because: ' '", ":9: The choice has no because."),
        ("because: You expected both.", "because:", ":9: The choice has no because."),
        (
            "    because: You expected both.",
            "    becuase: x\n    because: x",
            ":9: The choice has an unknown key, 'becuase'",
        ),
        ("  - text: |\n      [1, 2]\n", "  - text: 1.5\n", ":7: text is not a text. Put it into quotes."),
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
def test_a_mistake_on_the_page_names_the_line(sample, old, new, message):
    assert message in with_page(sample, old, new)


def test_choices_that_are_no_list(sample):
    message = problems_of_text(sample, re.sub(r"choices:\n.*?---", "choices: minus\n---", GOOD, flags=re.S))
    assert any(":4: choices is not a list." in text for text in message)


def problems_of_text(sample, text) -> list[str]:
    write(sample / "docs/practice/predict/add-two.md", text)
    return problems(sample)


def test_a_page_without_front_matter_is_named(sample):
    assert any("add-two.md:1: The front matter is missing." in text for text in problems_of_text(sample, "Text."))


def test_an_unknown_variant_and_its_orphaned_program(sample):
    found = problems_of_text(sample, GOOD.replace("variant: minus", "variant: times"))
    assert any(
        "add-two.md:5: The variant snippets/practice/predict/add_two__times.py does not exist." in text
        for text in found
    )
    for ending, kind in ((".py", "snippet"), (".out", "output")):
        assert any(f"add_two__minus{ending}: No page shows this {kind}." in text for text in found)
    assert len(found) == 3


def test_a_missing_program(sample):
    (sample / "snippets/practice/predict/add_two.py").unlink()
    expected = "add-two.md:1: The program snippets/practice/predict/add_two.py does not exist."
    assert any(expected in text for text in problems(sample))


@pytest.mark.parametrize(("name", "line"), [("add_two", 1), ("add_two__minus", 5)])
def test_an_output_that_was_not_recorded(sample, name, line):
    (sample / f"snippets/practice/predict/{name}.out").unlink()
    assert (
        f":{line}: The output snippets/practice/predict/{name}.out has not been recorded. "
        f"Run: make record Q=practice/predict/{name}" in the_one(sample)
    )


def test_a_long_program(sample):
    longer = "".join(f"x{i} = {i}\n\n" for i in range(10)) + PROGRAM
    write(sample / "snippets/practice/predict/add_two.py", longer)
    write(sample / "snippets/practice/predict/add_two__minus.py", longer.replace("+", "-"))
    assert ":1: The program has 13 lines; at most 12" in the_one(sample)
    shorter = longer.replace("x0 = 0\n", "")
    write(sample / "snippets/practice/predict/add_two.py", shorter)
    write(sample / "snippets/practice/predict/add_two__minus.py", shorter.replace("+", "-"))
    assert problems(sample) == []


def test_a_variant_that_is_another_program(sample):
    write(sample / "snippets/practice/predict/add_two__minus.py", "a = 3\nb = 4\nprint([a - b])\n")
    assert problems(sample) == []
    write(sample / "snippets/practice/predict/add_two__minus.py", "a = 3\nb = 4\nprint([a - b])\nexit()\n")
    assert ":5: The variant differs from the program in 4 lines; at most 3." in the_one(sample)
