"""Bad pages: each mistake gets one clear message that names the file, the line and what to do."""

from __future__ import annotations

import pytest

from warmup import checks
from warmup.kinds import levels
from warmup.testing import SAMPLE

PAGE = "docs/junior/autograd/thing.md"
GOOD = (SAMPLE / PAGE).read_text(encoding="utf-8")


def problems(sample, text=None) -> list[str]:
    if text is not None:
        (sample / "docs/junior/autograd/thing.md").write_text(text)
    site = levels.load(sample / "docs")
    return [str(p) for p in checks.problems(site, sample / "snippets")]


def the_one(sample, text) -> str:
    found = problems(sample, text)
    assert len(found) == 1, "\n".join(found)
    assert "docs/junior/autograd/thing.md" in found[0]
    return found[0]


def test_a_good_page_has_no_problem(sample):
    assert problems(sample) == []


def test_unknown_kind_lists_the_known_ones(sample):
    message = the_one(sample, GOOD.replace("kind: concept", "kind: riddle"))
    assert ":3: Unknown kind 'riddle'" in message
    assert "debugging" in message


@pytest.mark.parametrize("key", ["title", "kind", "tags", "minutes", "terms"])
def test_missing_front_matter_key(sample, key):
    text = "\n".join(line for line in GOOD.split("\n") if not line.startswith(f"{key}:"))
    assert f"The front matter has no {key}." in the_one(sample, text)


def test_unknown_front_matter_key(sample):
    assert ":5: The front matter has an unknown key, 'minuets'" in the_one(
        sample, GOOD.replace("minutes: 2", "minuets: 2\nminutes: 2")
    )


def test_front_matter_value_of_the_wrong_type(sample):
    assert ":4: tags is not a list." in the_one(sample, GOOD.replace("[gradients]", "gradients"))


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
def test_a_wrong_type_is_one_problem_and_the_page_does_without_the_value(sample, old, new, message):
    text = GOOD.replace(old, new)
    assert text != GOOD
    found = [problem for problem in problems(sample, text) if "thing.md" in problem]
    assert len(found) == 1, found
    assert message in found[0]
    for question in levels.load(sample / "docs").questions:
        shown = (question.title, question.kind, *question.tags, *(other.title for other in question.related))
        assert all(isinstance(one, str) for one in shown)
        assert type(question.minutes) is int


def test_related_page_that_does_not_exist(sample):
    assert "related names 'junior/autograd/gone'" in the_one(
        sample, GOOD.replace("minutes: 2", "minutes: 2\nrelated: [junior/autograd/gone]")
    )


@pytest.mark.parametrize("title", ["They ask next", "Listening for"])
def test_missing_section(sample, title):
    head, _, rest = GOOD.partition(f"## {title}")
    tail = rest.partition("\n## ")
    text = head + ("## " + tail[2] if tail[1] else "")
    assert f"The section '{title}' is missing." in the_one(sample, text)


def test_sections_out_of_order_name_the_line(sample):
    why = "## Why: It is told to\n\nThe program says so.\n\n"
    message = the_one(sample, GOOD.replace(why, "").replace("## Run it", f"{why}## Run it"))
    assert "The section 'Run it' is after 'Why'." in message
    assert "thing.md:18:" in message


def test_unknown_section(sample):
    assert "Unknown section 'Fun facts'" in the_one(sample, GOOD + "\n## Fun facts\n\nNone.\n")


def test_empty_section(sample):
    assert "The section 'Sources' is empty." in the_one(sample, GOOD + "\n## Sources\n")


def test_a_heading_inside_a_fence_is_not_a_section(sample):
    assert problems(sample, GOOD.replace("## They", "```text\n## Not a section\n```\n\n## They")) == []


def test_a_fence_that_does_not_end_names_its_line(sample):
    message = the_one(sample, GOOD.replace("    Because.", "    Because.\n\n    ```text\n    Not ended."))
    assert ":34: This fence does not end." in message
    assert "indented as the first one" in message


def test_an_h1_in_the_page(sample):
    assert "The page has an H1." in the_one(sample, GOOD.replace("## Say it", "# Title\n\n## Say it"))


def test_a_link_in_say_it_counts_as_its_words(sample):
    text = GOOD.replace("until the end.", "until the [very end](https://example.com). " + "word " * 22)
    assert problems(sample, text) == []
    assert "'Say it' has 61 words" in the_one(sample, text.replace("word ", "word word ", 1))


def test_say_it_with_code(sample):
    assert "holds a code block" in the_one(
        sample, GOOD.replace("The thing is the answer.", "The thing is the answer.\n\n```text\ncode\n```\n")
    )


@pytest.mark.parametrize("count", [3, 7])
def test_number_of_follow_ups(sample, count):
    fold = '??? question "Why?"\n\n    Because.\n\n'
    folds = fold.replace("question", "question first") * 2 + fold * (count - 2)
    head, _, rest = GOOD.partition("??? question")
    text = head + folds + rest[rest.index("## Listening for") :]
    assert f"{count} folded follow-ups" in the_one(sample, text)


def test_follow_ups_for_an_interview_stand_alone(sample):
    first = GOOD.replace("??? question first", "??? question first here")
    here = first.replace('??? question "What', '??? question here "What')
    message = the_one(sample, here)
    assert ":30: Of the follow-ups, 1 can be asked without the page; a mock interview asks 2." in message


@pytest.mark.parametrize(
    ("line", "old", "new", "right", "message"),
    [
        (30, '"Why?"', r'"Why \"a\"?"', '"Why "a"?"', "The page shows the backslash before a quote in this title."),
        (30, '"Why?"', '"Why `a` in __init__?"', '"Why in `__init__`?"', "shows __init__ in bold"),
        (
            49,
            "a reason",
            "`a` in __init__",
            "[`__init__`](https://example.com/__init__.py)",
            "shows __init__ in bold",
        ),
    ],
)
def test_what_the_page_would_not_show_as_it_is_written(sample, line, old, new, right, message):
    found = the_one(sample, GOOD.replace(old, new))
    assert message in found
    assert f":{line}:" in found
    assert problems(sample, GOOD.replace(old, right)) == []


def test_listening_for_without_its_three_grades(sample):
    assert "'Listening for' has the bullets" in the_one(sample, GOOD.replace("- **Good**: a reason\n", ""))


def test_todo(sample):
    assert ":11: The page still says TODO." in the_one(sample, GOOD.replace("The thing is", "TODO the thing is"))


def test_include_of_a_snippet_that_does_not_exist(sample):
    text = GOOD.replace("junior/autograd/thing.py", "junior/autograd/thong.py")
    found = problems(sample, text)
    assert any("thing.md:17: The snippet snippets/junior/autograd/thong.py does not exist." in p for p in found)


def test_output_that_was_never_recorded_says_the_command(sample):
    (sample / "snippets/junior/autograd/other.out").unlink()
    [message] = problems(sample)
    assert "docs/junior/autograd/other.md:" in message
    assert "has not been recorded" in message
    assert "make record Q=junior/autograd/other" in message


def test_output_of_a_cuda_snippet_may_be_unrecorded(sample):
    (sample / "snippets/junior/autograd/thing.out").unlink()
    (sample / "snippets/junior/autograd/thing.py").write_text(
        '# /// script\n# dependencies = ["torch>=2.11"]\n#\n# [tool.warmup]\n# needs = "cuda"\n# ///\nprint(1)\n'
    )
    assert problems(sample, GOOD) == []


def test_snippet_in_a_fence_without_a_title(sample):
    assert "without a title" in the_one(sample, GOOD.replace('python title="thing.py"', "python"))


def test_output_in_another_fence(sample):
    assert "not ```output" in the_one(sample, GOOD.replace("```output", "```text"))


def test_run_it_without_a_snippet(sample):
    text = GOOD.replace('--8<-- "junior/autograd/thing.py"', "print(1)")
    assert any("'Run it' shows no snippet." in p for p in problems(sample, text))


@pytest.mark.parametrize("word", ["It", "They", "This", "These"])
def test_say_it_names_its_subject_first(sample, word):
    text = GOOD.replace("## Say it\n\nThe thing is", f"## Say it\n\n{word} is")
    assert f"begins with {word!r}" in the_one(sample, text)


@pytest.mark.parametrize("markup", ["`thing`", "*thing*", "_thing_", "**thing**"])
def test_say_it_has_no_code_font_and_no_italics_and_says_on_which_line(sample, markup):
    text = GOOD.replace("This is the reason,", f"This is the reason\nand the {markup},")
    assert "'Say it' holds code font or italics" in (found := the_one(sample, text))
    assert f":{text[: text.index(markup)].count(chr(10)) + 1}:" in found


def test_names_and_products_are_no_italics(sample):
    names = r"zero_grad() and requires_grad_() do, 2 * 3 is 6 * 1, \_\_init\_\_ runs. This is the reason,"
    text = GOOD.replace("This is the reason,", names)
    assert problems(sample, text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The run above says so.", True),
        ("In the first program it raises.", True),
        ("In the [first program](#run-it) it raises, far above chance and below 0.1.", False),
    ],
)
def test_a_myth_does_not_point_at_what_its_own_page_lacks(sample, text, found):
    told = problems(sample, f"{GOOD}\n### Myth: It is not\n\n{text}\n")
    assert any("by its place" in one for one in told) == found
