"""Bad pages: each mistake gets one clear message that names the file, the line and what to do."""

from __future__ import annotations

import pytest

from warmup import checks
from warmup.checks.questions import REQUIRED_FRONT_MATTER
from warmup.content import levels
from warmup.content.questions import Question
from warmup.project import ProblemError

GOOD = """---
title: What is it?
kind: concept
tags: [gradients]
minutes: 2
---

## Say it

It is the answer. This is the reason.

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


@pytest.fixture
def project(tmp_path):
    """A project of one good question; ``write`` replaces the page and returns its problems."""
    snippets = tmp_path / "snippets" / "junior" / "topic"
    snippets.mkdir(parents=True)
    (snippets / "thing.py").write_text("print(1)\n")
    (snippets / "thing.out").write_text("1\n")
    folder = tmp_path / "docs" / "junior" / "topic"
    folder.mkdir(parents=True)
    (folder / "index.md").write_text("---\ntitle: Topic\norder: [thing]\n---\n\nText.\n")
    (folder / "thing.md").write_text(GOOD)
    return tmp_path


def problems(project, text=None) -> list[str]:
    if text is not None:
        (project / "docs/junior/topic/thing.md").write_text(text)
    site = levels.load(project / "docs")
    return [str(p) for p in checks.problems(site, project / "snippets")]


def the_one(project, text) -> str:
    found = problems(project, text)
    assert len(found) == 1, "\n".join(found)
    assert "docs/junior/topic/thing.md" in found[0]
    return found[0]


def test_a_good_page_has_no_problem(project):
    assert problems(project) == []


def test_missing_front_matter(project):
    assert ":1: The front matter is missing." in problems(project, GOOD.split("---\n", 2)[2])[0]


def test_unclosed_front_matter(project):
    assert ":1: The front matter is not closed." in problems(project, "---\ntitle: What?\n")[0]


def test_front_matter_that_is_not_yaml_names_the_line(project):
    message = problems(project, GOOD.replace("kind: concept", "kind: concept: really"))[0]
    assert "thing.md:3: The front matter is not YAML" in message
    assert "Quote" in message


def test_front_matter_that_is_not_a_mapping(project):
    assert "not a mapping" in problems(project, "---\n- title\n---\n")[0]


def test_page_error_carries_the_problem(project):
    path = project / "docs/junior/topic/thing.md"
    path.write_text("no front matter")
    with pytest.raises(ProblemError, match=r"thing\.md:1: .*missing"):
        Question.read(path)


def test_unknown_kind_lists_the_known_ones(project):
    message = the_one(project, GOOD.replace("kind: concept", "kind: riddle"))
    assert ":3: Unknown kind 'riddle'" in message
    assert "debugging" in message


@pytest.mark.parametrize("key", REQUIRED_FRONT_MATTER)
def test_missing_front_matter_key(project, key):
    text = "\n".join(line for line in GOOD.split("\n") if not line.startswith(f"{key}:"))
    assert f"The front matter has no {key}." in the_one(project, text)


def test_unknown_front_matter_key(project):
    assert ":5: The front matter has an unknown key, 'minuets'" in the_one(
        project, GOOD.replace("minutes: 2", "minuets: 2\nminutes: 2")
    )


def test_front_matter_value_of_the_wrong_type(project):
    assert ":4: tags is not a list." in the_one(project, GOOD.replace("[gradients]", "gradients"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tags: [gradients]", "tags: [2, a]", ":4: tags holds 2, which is not a text. Put it into quotes."),
        ("tags: [gradients]", "tags: {a: b}", ":4: tags is not a list. Write it as tags: [one, another]."),
        ("minutes: 2", 'minutes: "2"', ":5: minutes is not a whole number above zero. Write it without quotes"),
        ("minutes: 2", "minutes: true", ":5: minutes is not a whole number above zero."),
        ("minutes: 2", "minutes: 1.5", ":5: minutes is not a whole number above zero."),
        ("minutes: 2", "minutes: -1", ":5: minutes is not a whole number above zero."),
        ("minutes: 2", "minutes:", ":5: The front matter has no minutes."),
        ("minutes: 2", "minutes: 2\nrelated: a/b/c", ":6: related is not a list."),
        ("minutes: 2", "minutes: 2\nrelated:\n- [a]", ":6: related holds ['a'], which is not a text."),
        ("title: What is it?", "title: 2026", ":2: title is not a text. Put it into quotes."),
        ("title: What is it?", "title:", ":2: The front matter has no title."),
        ("title: What is it?", "title: 2026-02-30", ":2: The front matter is not YAML: day is out of range"),
        ("kind: concept", "kind: [concept]", ":3: kind is not a text."),
    ],
)
def test_a_wrong_type_is_one_problem_and_the_page_does_without_the_value(project, old, new, message):
    text = GOOD.replace(old, new)
    assert text != GOOD
    found = [problem for problem in problems(project, text) if "thing.md" in problem]
    assert len(found) == 1, found
    assert message in found[0]
    for question in levels.load(project / "docs").questions:
        shown = (question.title, question.kind, *question.tags, *(other.title for other in question.related))
        assert all(isinstance(one, str) for one in shown)
        assert type(question.minutes) is int


def test_a_page_that_is_not_text_is_a_problem(project):
    (project / "docs/junior/topic/thing.md").write_bytes(b"---\ntitle: \xff\n---\n")
    assert any("thing.md:2: It is not text in UTF-8." in problem for problem in problems(project))


def test_a_snippet_that_is_not_text_is_a_problem(project):
    (project / "snippets/junior/topic/thing.py").write_bytes(b"x = 1\nprint('\xff')\n")
    assert any("thing.py:2: It is not text in UTF-8." in problem for problem in problems(project))


@pytest.mark.parametrize(
    ("order", "messages"),
    [
        ("thing", ["order is not a list. Write it as order: [one, another]."]),
        ("[thing, 2]", ["order holds 2, which is not a text. Put it into quotes."]),
        ("[[thing]]", ["order holds ['thing'], which is not a text. Put it into quotes."]),
        ("{thing: 1}", ["order is not a list. Write it as order: [one, another]."]),
        ("", ["order does not name 'thing'. Add it where it belongs in the path through topic."]),
        ("[thing, gone]", ["order names 'gone', which is not a page here. Take it out, or write gone.md."]),
        ("[thing, thing]", ["order names 'thing' more than once. Keep it where it belongs."]),
        ("things", ["order is not a list. Write it as order: [one, another]."]),
    ],
)
def test_no_order_loses_a_question(project, order, messages):
    index = project / "docs/junior/topic/index.md"
    index.write_text(f"---\ntitle: Topic\norder: {order}\n---\n\nText.\n")
    assert problems(project) == [f"{index}:3: {message}" for message in messages]
    assert [question.slug for question in levels.load(project / "docs").questions] == ["thing"]


def test_related_page_that_does_not_exist(project):
    assert "related names 'junior/topic/gone'" in the_one(
        project, GOOD.replace("minutes: 2", "minutes: 2\nrelated: [junior/topic/gone]")
    )


@pytest.mark.parametrize("title", ["They ask next", "Listening for"])
def test_missing_section(project, title):
    head, _, rest = GOOD.partition(f"## {title}")
    tail = rest.partition("\n## ")
    text = head + ("## " + tail[2] if tail[1] else "")
    assert f"The section '{title}' is missing." in the_one(project, text)


def test_sections_out_of_order_name_the_line(project):
    text = GOOD.replace("## Run it", "## Why\n\nBecause.\n\n## Run it")
    message = the_one(project, text)
    assert "The section 'Run it' stands after 'Why'." in message
    assert "thing.md:16:" in message


def test_unknown_section(project):
    assert "Unknown section 'Fun facts'" in the_one(project, GOOD + "\n## Fun facts\n\nNone.\n")


def test_empty_section(project):
    assert "The section 'Sources' is empty." in the_one(project, GOOD + "\n## Sources\n")


def test_a_heading_inside_a_fence_is_not_a_section(project):
    assert problems(project, GOOD.replace("    Because.", "    Because.\n\n```text\n## Not a section\n```")) == []


def test_a_fence_that_does_not_end_names_its_line(project):
    message = the_one(project, GOOD.replace("    Because.", "    Because.\n\n    ```text\n    Not ended."))
    assert ":28: This fence does not end." in message
    assert "indented as the first one" in message


def test_an_h1_in_the_page(project):
    assert "The page has an H1." in the_one(project, GOOD.replace("## Say it", "# Title\n\n## Say it"))


def test_say_it_over_seventy_words_counts_them(project):
    message = the_one(project, GOOD.replace("It is the answer.", "word " * 80))
    assert "has 84 words; at most 70" in message


def test_say_it_of_seventy_words_passes(project):
    text = GOOD.replace("It is the answer. This is the reason.", "[two words](https://example.com) " + "word " * 68)
    assert problems(project, text) == []


def test_say_it_with_code(project):
    assert "holds a code block" in the_one(
        project, GOOD.replace("It is the answer.", "It is the answer.\n\n```text\ncode\n```\n")
    )


def test_why_too_long(project):
    text = GOOD.replace("## They ask next", "## Why\n\n" + "word " * 401 + "\n\n## They ask next")
    assert "'Why' has 401 words" in the_one(project, text)


@pytest.mark.parametrize("count", [1, 6])
def test_number_of_follow_ups(project, count):
    folds = '??? question "Why?"\n\n    Because.\n\n' * count
    head, _, rest = GOOD.partition("??? question")
    text = head + folds + rest[rest.index("## Listening for") :]
    assert f"{count} folded follow-ups" in the_one(project, text)


def test_listening_for_without_its_three_grades(project):
    assert "'Listening for' has the bullets" in the_one(project, GOOD.replace("- **Good**: a reason\n", ""))


def test_todo(project):
    assert ":10: The page still says TODO." in the_one(project, GOOD.replace("It is", "TODO it is"))


def test_include_of_a_snippet_that_does_not_exist(project):
    text = GOOD.replace("junior/topic/thing.py", "junior/topic/thong.py")
    found = problems(project, text)
    assert any("thing.md:15: The snippet snippets/junior/topic/thong.py does not exist." in p for p in found)


def test_output_that_was_never_recorded_says_the_command(project):
    (project / "snippets/junior/topic/thing.out").unlink()
    message = the_one(project, GOOD)
    assert "has not been recorded" in message
    assert "make record Q=junior/topic/thing" in message


def test_output_of_a_cuda_snippet_may_be_unrecorded(project):
    (project / "snippets/junior/topic/thing.out").unlink()
    (project / "snippets/junior/topic/thing.py").write_text(
        '# /// script\n# dependencies = ["torch>=2.11"]\n#\n# [tool.warmup]\n# needs = "cuda"\n# ///\nprint(1)\n'
    )
    assert problems(project, GOOD) == []


def test_snippet_in_a_fence_without_a_title(project):
    assert "without a title" in the_one(project, GOOD.replace('python title="thing.py"', "python"))


def test_output_in_another_fence(project):
    assert "not ```output" in the_one(project, GOOD.replace("```output", "```text"))


def test_run_it_without_a_snippet(project):
    text = GOOD.replace('--8<-- "junior/topic/thing.py"', "print(1)")
    assert any("'Run it' shows no snippet." in p for p in problems(project, text))


def test_snippet_that_nobody_shows(project):
    (project / "snippets/junior/topic/orphan.py").write_text("print(2)\n")
    assert [p for p in problems(project) if "orphan.py: No page shows this snippet." in p]


def test_output_that_nobody_shows_and_output_without_a_snippet(project):
    (project / "snippets/junior/topic/left.out").write_text("2\n")
    assert [p for p in problems(project) if "left.out: This output has no snippet beside it." in p]


def test_snippet_header_that_does_not_parse(project):
    (project / "snippets/junior/topic/thing.py").write_text("# /// script\n# dependencies = [\n# ///\nprint(1)\n")
    found = problems(project)
    assert any("snippets/junior/topic/thing.py:" in p for p in found)


def test_topic_index_that_does_not_name_a_page(project):
    (project / "docs/junior/topic/index.md").write_text("---\ntitle: Topic\norder: [gone]\n---\n\nText.\n")
    found = problems(project)
    assert any("order names 'gone'" in p for p in found)
    assert any("order does not name 'thing'" in p for p in found)


def test_topic_without_an_index(project):
    (project / "docs/junior/topic/index.md").unlink()
    assert any("docs/junior/topic/index.md: The topic has no index page." in p for p in problems(project))


def test_a_page_is_read_again_after_an_edit(project):
    path = project / "docs/junior/topic/thing.md"
    assert levels.load(project / "docs").questions[0].title == "What is it?"
    path.write_text(GOOD.replace("What is it?", "What else is it?"))
    import os

    os.utime(path, ns=(1, 1))
    assert levels.load(project / "docs").questions[0].title == "What else is it?"


def test_neighbors_follow_the_order_of_the_index(project):
    folder = project / "docs/junior/topic"
    for slug in ("a", "b"):
        (folder / f"{slug}.md").write_text(GOOD)
    (folder / "index.md").write_text("---\ntitle: Topic\norder: [b, thing, a]\n---\n\nText.\n")
    b, thing, a = levels.load(project / "docs").questions
    assert (b.slug, thing.slug, a.slug) == ("b", "thing", "a")
    assert (b.previous, b.next, thing.previous, thing.next, a.next) == (None, thing, b, a, None)


def test_a_page_with_another_body_keeps_its_front_matter_and_nothing_else(tmp_path):
    question = Question(tmp_path / "docs/junior/topic/thing.md", GOOD)
    assert question.section("Say it") and question.snippets
    other = question.with_body("## Why\n\nBecause.\n")
    assert (other.id, other.title, other.tags) == (question.id, question.title, question.tags)
    assert [(section.title, section.line) for section in other.sections] == [("Why", question.body_line)]
    assert (other.snippets, other.follow_ups) == ([], [])
    assert question.section("Say it")
