"""A page with terms is one story: each limit of its form has one message with line and remedy."""

from __future__ import annotations

import re

import pytest

from warmup import checks
from warmup.kinds import levels

PAGE = "docs/junior/autograd/thing.md"
GOOD = """---
title: What does it print?
kind: concept
tags: [gradients]
minutes: 2
terms: [sum, .grad]
---

## Say it

The sum of two terms goes into .grad. It is printed once, because nothing else is asked for here, so a second call would
print the same text again without any change.

## Run it: Two terms, one sum

```python title="thing.py"
--8<-- "junior/autograd/thing.py"
```

```output
--8<-- "junior/autograd/thing.out"
```

## Why: Addition is one operation

It adds.

## Break it: Without a term, nothing

It raises.

## They ask next

??? question first "One of this page?"

    A.

??? question first "Two of this page?"

    B.

??? question "Three of this page?"

    C.

??? question "Four of this page?"

    D.

## Listening for

- **Weak**: One.
- **Good**: Two.
- **Strong**: Three.

## Deeper

### Where it stops being true

| If | Then |
|---|---|
| a | b |
| c | d |
| e | f |

### Myth: It prints nothing

People say: "Nothing."

## Sources

- One.
"""
LONG = "\n".join(f"print({number})" for number in range(30)) + "\n"


@pytest.fixture
def found(sample):
    """What is wrong with the page, as the text that is found there."""

    def found(text: str) -> list[str]:
        (sample / PAGE).write_text(text, encoding="utf-8")
        problems = checks.problems(levels.load(sample / "docs"), sample / "snippets")
        return [str(one) for one in problems if PAGE in str(one)]

    return found


def test_a_page_of_the_form_has_no_problem(found):
    assert found(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("terms: [sum, .grad]", "terms: [sum, gone]", ":6: 'Say it' does not have the term 'gone'"),
        ("terms: [sum, .grad]", "terms: [sum]", ":6: terms has 1; 2 to 6"),
        ("terms: [sum, .grad]", "terms: [su, .grad]", "the term 'su'"),
        (
            "It is printed once, because nothing else is asked for here, so",
            "So",
            ":9: 'Say it' has 21 words; one says 30 to 60",
        ),
        ("It adds.", "It adds. " * 80, "'Why' has 160 words"),
        ("## Why: Addition is one operation", "## Why", ":24: The heading of 'Why' says no fact"),
        ("prints nothing", "prints nothing {: #none }", "'Myth' has the anchor of its role"),
        ("### Myth: It prints nothing", "### Myth", "The heading of 'Myth' says no fact"),
        ("Addition is one operation", "one " * 12 + "more", "The fact of 'Why' has 13 words"),
        ("Two terms, one sum", 'Two "terms"', "This heading holds a quotation mark"),
        ('??? question first "Two', '??? question "Two', "1 are marked as asked first"),
        ('??? question "Four of this page?"\n\n    D.\n', "", "3 folded follow-ups; 4 to 6"),
        ("### Where it stops being true", "### Where it ends", "does not begin with 'Where it stops being true'"),
        ("| e | f |\n", "", "'Where it stops being true' has 2 rows; 3 to 7"),
        ("| If | Then |", "| When | What |", "'Where it stops being true' has 3 rows"),
        ("## Sources", "### More\n\nx\n\n" * 6 + "## Sources", "'Deeper' has 8 parts; at most 7"),
        ("## Deeper", "## Myth: It prints nothing", "Unknown section 'Myth'"),
        ("## Sources", "## Tell it\n\nx\n\n## Sources", "Unknown section 'Tell it'"),
        ("It raises.", '??? guess "What?"\n\n    ```text\n    a\n    ```', "no program right above it"),
    ],
)
def test_what_does_not_fit_the_form_is_one_problem(found, old, new, message):
    assert old in GOOD
    problems = [one for one in found(GOOD.replace(old, new, 1)) if message in one]
    assert len(problems) == 1, found(GOOD.replace(old, new, 1))


@pytest.mark.parametrize("name", ["GradScaler", "`GradScaler`", "DDP", "assign=True"])
def test_what_is_asked_first_of_a_junior_fits_a_junior(found, name):
    message = f"asked first, and a junior is not asked about {name.strip('`')!r}"
    for old, count in (("One of this page?", 1), ("    B.", 1), ("Three of this page?", 0), ("    D.", 0)):
        assert sum(message in one for one in found(GOOD.replace(old, f"{old} {name}.", 1))) == count, (old, name)
    code = GOOD.replace("    B.", f"    B: [x](../{name}.md).\n\n    ```python\n    x = '{name}'\n    ```", 1)
    assert not any(message in one for one in found(code))


def test_a_second_guess_is_a_problem_and_one_below_its_program_is_none(found):
    output = '```output\n--8<-- "junior/autograd/thing.out"\n```\n'
    guess = '??? guess "What?"\n\n' + re.sub("(?m)^(?=.)", "    ", output)
    one = GOOD.replace(output, guess)
    assert found(one) == []
    program = '```python title="thing.py"\n--8<-- "junior/autograd/thing.py"\n```\n'
    two = one.replace("It raises.", f"{program}\n{guess}")
    assert ["The story has 2 guesses" in problem for problem in found(two)] == [True]


def test_a_long_program_is_folded_or_a_problem(found, sample):
    (sample / "snippets/junior/autograd/thing.py").write_text(LONG, encoding="utf-8")
    assert any("thing.py shows 30 lines in 'Run it'; at most 20" in problem for problem in found(GOOD))
    program = '```python title="thing.py"\n--8<-- "junior/autograd/thing.py"\n```\n'
    folded = '??? code "thing.py"\n\n' + re.sub("(?m)^(?=.)", "    ", program)
    assert not any("shows 30 lines" in problem for problem in found(GOOD.replace(program, folded)))


def test_a_design_listens_for_other_answers_and_has_other_roles(found):
    design = GOOD.replace("kind: concept", "kind: design").replace("Weak", "Mid").replace("Good", "Senior")
    design = design.replace("Strong", "Staff").replace("## Break it: Without a term, nothing", "## When it fails")
    design = design.replace("## Why: Addition is one operation", "## Ask back\n\nx\n\n## Draw it\n\nx\n\n## Trade-offs")
    assert found(design) == []
    assert any("**Mid**, **Senior**, **Staff**" in one for one in found(design.replace("**Staff**", "**Strong**")))


def test_a_behavioral_page_tells_its_story(found):
    told = f"## Tell it\n\n{'word ' * 220}\n\n## Run it"
    page = GOOD.replace("kind: concept", "kind: behavioral").replace("## Run it", told)
    page = re.sub(r"(?s)## Why.*?(?=## They)", "", page)
    assert found(page) == []
    assert any("The section 'Tell it' is missing" in one for one in found(page.replace(told, "## Run it")))
    assert found(GOOD.replace("kind: concept", "kind: behavioral")) == []  # what is true of the work, and no story
    assert any("'Tell it' has 100 words" in one for one in found(page.replace("word " * 220, "word " * 100)))
