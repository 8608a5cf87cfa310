"""A page is read, or else one message names the file, the line and what to do."""

from __future__ import annotations

import pytest

from warmup.kinds import levels
from warmup.kinds.questions import Question
from warmup.project import ProblemError
from warmup.testing import SAMPLE

PAGE = "docs/junior/autograd/thing.md"
GOOD = (SAMPLE / PAGE).read_text(encoding="utf-8")


def problems(sample, text) -> list[str]:
    """What reading the sample says, once a page of it holds the text."""
    (sample / PAGE).write_text(text)
    return [str(problem) for problem in levels.load(sample / "docs").problems]


def test_missing_front_matter(sample):
    assert ":1: The front matter is missing." in problems(sample, GOOD.split("---\n", 2)[2])[0]


def test_unclosed_front_matter(sample):
    assert ":1: The front matter is not closed." in problems(sample, "---\ntitle: What?\n")[0]


def test_front_matter_that_is_not_yaml_names_the_line(sample):
    message = problems(sample, GOOD.replace("kind: concept", "kind: concept: really"))[0]
    assert "thing.md:3: The front matter is not YAML" in message
    assert "Quote" in message


def test_front_matter_that_is_not_a_mapping(sample):
    assert "not a mapping" in problems(sample, "---\n- title\n---\n")[0]


def test_page_error_carries_the_problem(sample):
    path = sample / "docs/junior/autograd/thing.md"
    path.write_text("no front matter")
    with pytest.raises(ProblemError, match=r"thing\.md:1: .*missing"):
        Question.read(path)


def test_a_page_that_is_not_text_is_a_problem(sample):
    (sample / "docs/junior/autograd/thing.md").write_bytes(b"---\ntitle: \xff\n---\n")
    [problem] = levels.load(sample / "docs").problems
    assert "thing.md:2: It is not text in UTF-8." in str(problem)


def test_a_page_with_another_body_keeps_its_front_matter_and_nothing_else(sample):
    question = Question.read(sample / PAGE)
    assert question.section("Say it") and question.snippets
    other = question.with_body("## Why\n\nBecause.\n")
    assert (other.id, other.title, other.tags) == (question.id, question.title, question.tags)
    assert [(section.title, section.line) for section in other.sections] == [("Why", question.body_line)]
    assert (other.snippets, other.follow_ups) == ([], [])
    assert question.section("Say it")
