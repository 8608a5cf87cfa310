"""What is shown by topic: the list of all myths and puzzles, and each topic's page with the texts."""

from __future__ import annotations

import re

import pytest
import yaml

from warmup.kinds import levels
from warmup.site.expand import Renderer

QUESTION = """---
title: What is a [thing]?
---

## Deeper

### Myth: It is *one*. Or [two](two.md) `.`

It is [neither](../other/page.md#why), as [said](#why).

```python title="thing.py"
--8<-- "junior/topic/thing.py"
```

![A thing](thing.svg) and [elsewhere](https://example.com)
"""
PUZZLE = """---
title: Add <two> numbers
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
    """A project of one question with a myth and one puzzle."""
    for name, text in {
        "docs/junior/topic/index.md": "---\ntitle: Topic\norder: [thing]\n---\n\nText.\n",
        "docs/junior/topic/thing.md": QUESTION,
        "snippets/junior/topic/thing.py": "print(1)\n",
        "docs/practice/predict/add-two.md": PUZZLE,
        "snippets/practice/predict/add_two.py": PROGRAM,
        "snippets/practice/predict/add_two.out": "[3]\n",
        "snippets/practice/predict/add_two__minus.py": PROGRAM.replace("+", "-"),
        "snippets/practice/predict/add_two__minus.out": "[-1]\n",
        "requirements-test.txt": "torch==9.9.9\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def renderer(project):
    return Renderer(levels.load(project / "docs"), project)


def page(renderer, name) -> tuple[dict, str]:
    """A derived page's front matter and its text with nothing left to resolve."""
    _, front, text = renderer.topic_pages[name].split("---\n", 2)
    url = name.removesuffix(".md") + "/"
    return yaml.safe_load(front), renderer.expand(text, url, renderer.docs / name)


def marker(renderer, name, page) -> str:
    return renderer.expand(f"<!-- warmup:{name} -->", f"{page}/", renderer.docs / f"{page}.md")


def test_each_topic_with_puzzles_or_myths_has_a_page_of_them(renderer):
    assert sorted(renderer.topic_pages) == ["about/myths/junior/topic.md", "practice/predict/junior/topic.md"]


def test_a_puzzle_becomes_a_section_with_key_choices_reasons_and_changes(renderer):
    front, lines = page(renderer, "practice/predict/junior/topic.md")
    assert front["title"] == "Predict the output: Topic (junior)"
    assert "[Programs of all topics](../../predict.md)" in lines
    [puzzle] = renderer.site.puzzles
    outputs = [output for output, _ in puzzle.shuffled(renderer.snippets)]
    assert sorted(outputs) == ["[-1]", "[1, 2]", "[3]"]
    assert f'data-level="junior" data-topic="junior/topic" data-key="{outputs.index("[3]")}"' in lines
    assert "## Add &lt;two&gt; numbers { #add-two }" in lines
    download = "../../../../snippets/practice/predict/add_two.py"
    assert f'```python title="add_two.py" download="{download}"\n{PROGRAM}```' in lines
    assert re.findall(r'type="radio".*<code>(.*)</code>', lines) == outputs
    assert '```output file="practice/predict/add_two.out"\n[3]\n```' in lines
    assert "[the page](../../../junior/topic/thing.md)" in lines
    assert r"[What is a \[thing\]?](../../../junior/topic/thing.md)" in lines
    assert " b = 2&#10;<del>-print([a + b])</del>&#10;<ins>+print([a - b])</ins>" in lines
    assert "<code>[1, 2]</code> comes from a misconception" in lines
    assert lines.index("You took `+`") > lines.index(f'data-choice="{outputs.index("[-1]")}"')


def test_the_list_of_puzzles_names_each_below_its_topic(renderer):
    listed = marker(renderer, "puzzles", "practice/predict")
    assert '<section data-topic="junior/topic" data-level="junior" data-url="junior/topic/">' in listed
    assert '<li id="add-two"><a href="junior/topic/#add-two">Add &lt;two&gt; numbers</a></li>' in listed


@pytest.mark.parametrize(
    ("old", "new"), [("question: junior/topic/thing", "question: gone"), ("because: You expected both.", "because: ''")]
)
def test_a_puzzle_with_a_problem_is_not_shown(project, old, new):
    (project / "docs/practice/predict/add-two.md").write_text(PUZZLE.replace(old, new))
    renderer = Renderer(levels.load(project / "docs"), project)
    assert list(renderer.topic_pages) == ["about/myths/junior/topic.md"]
    assert "add-two" not in marker(renderer, "puzzles", "practice/predict")


def test_a_myth_in_full_keeps_its_run_and_its_links_reach_their_pages(renderer):
    front, text = page(renderer, "about/myths/junior/topic.md")
    assert front["title"] == "Myths: Topic (junior)"
    assert "[Myths of all topics](../../myths.md)" in text
    assert '## "It is *one*. Or [two](../../../junior/topic/two.md) `.`" { #thing }\n\nIt is [neither]' in text
    assert r"The right answer: [What is a \[thing\]?](../../../junior/topic/thing.md)" in text
    assert "[neither](../../../junior/other/page.md#why), as [said](../../../junior/topic/thing.md#why)" in text
    assert 'download="../../../../snippets/junior/topic/thing.py"\nprint(1)\n```' in text
    assert "![A thing](../../../junior/topic/thing.svg) and [elsewhere](https://example.com)" in text


def test_the_list_of_myths_has_what_each_says_and_two_ways_on(renderer):
    listed = marker(renderer, "myths", "about/myths")
    assert listed.strip().split("\n") == [
        "## [Junior: Topic](myths/junior/topic.md)",
        "",
        r"- [What is a \[thing\]?](../junior/topic/thing.md#myth): "
        '"It is *one*. Or [two](../junior/topic/two.md) `.`"',
    ]
