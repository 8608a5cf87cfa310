"""Fences, includes and markers have one reader, and it agrees with the Markdown that the site is made with."""

from __future__ import annotations

import re

import pytest
from markdown import Markdown

from warmup.content import markdown
from warmup.content.page import Page
from warmup.kinds import levels
from warmup.site.expand import Renderer

# In each, the lines that a fence shows have the word "in", the others the word "out".
TEXTS = {
    "plain": "out 1\n\n```text\nin 1\n```\n\nout 2",
    "a longer one shows a shorter one": "````text\n```python\nin 1\n```\nin 2\n````\n\nout 1",
    "tildes show backticks": "~~~text\n```\nin 1\n```\n~~~\n\nout 1",
    "a longer mark does not end a shorter one": "```text\nin 1\n````\nin 2\n```\n\nout 1",
    "a mark with an info does not end it": "```text\nin 1\n```python\nin 2\n```\n\nout 1",
    "indented in a fold": '??? note "out 1"\n\n    ```text\n    in 1\n\n    in 2\n    ```\n\nout 2',
    "a mark that is indented further is text": "```text\nin 1\n    ```\nin 2\n```\n\nout 1",
    "never ended": "```text\nout 1\n\nout 2",
    "ended by less indentation": '??? note "out 1"\n\n    ```text\n    out 2\n\nout 3\n\n    ```\n\nout 4',
    "code within a line": "```out 1``` and out 2\n\n```text\nin 1\n```",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_what_a_fence_shows_is_what_the_site_shows_as_code(text):
    html = Markdown(
        extensions=["pymdownx.superfences", "pymdownx.details"],
        extension_configs={"pymdownx.superfences": {"disable_indented_code_blocks": True}},
    ).convert(text)
    code = re.sub(r"<[^>]+>", "", "\n".join(re.findall(r"<pre>.*?</pre>", html, re.S)))
    assert re.findall(r"\b(?:in|out) \d", code) == re.findall(r"\bin \d", text), html
    fenced = "\n".join(line.text for line in markdown.lines(text) if line.fence)
    assert re.findall(r"\b(?:in|out) \d", fenced) == re.findall(r"\bin \d", text)


def test_lines_know_their_number_and_the_fence_they_open():
    lines = markdown.lines("a\n```python title\nb\n```\nc", 7)
    assert [line.number for line in lines] == [7, 8, 9, 10, 11]
    assert [line.opens for line in lines] == [False, True, False, False, False]
    assert lines[2].fence == markdown.Fence(8, 10, "```", "python title")
    assert lines[4].fence is None


def test_no_line_is_lost():
    text = "\n\na\n```\n\n\n```\n"
    assert "\n".join(line.text for line in markdown.lines(text)) == text


QUOTED = """````text
```python title="thing.py"
--8<-- "junior/topic/thing.py"
```

<!-- warmup:nonsense -->
````

<!-- warmup:data -->
"""


@pytest.fixture
def renderer(tmp_path):
    folder = tmp_path / "snippets" / "junior" / "topic"
    folder.mkdir(parents=True)
    (folder / "thing.py").write_text("print(1)\n")
    return Renderer(levels.Site([], []), tmp_path)


@pytest.mark.parametrize("mark", ["````", "~~~~"])
def test_a_longer_fence_shows_includes_and_markers_as_they_are_written(renderer, mark):
    text = QUOTED.partition("\n\n<!-- warmup:data")[0].replace("````", mark)
    assert renderer.expand(text, "", renderer.root / "docs/x.md") == text


@pytest.mark.parametrize("mark", ["```", "~~~"])
def test_a_fence_of_three_shows_the_file(renderer, mark):
    text = renderer.expand(f'{mark}text\n--8<-- "junior/topic/thing.py"\n{mark}', "", renderer.root / "docs/x.md")
    assert text == f"{mark}text\nprint(1)\n{mark}"


def test_page_and_renderer_agree_on_what_is_quoted(renderer, tmp_path):
    page = Page(tmp_path / "x.md", f"---\ntitle: T\n---\n{QUOTED}")
    assert page.includes == []
    assert [line.marker["name"] for line in page.lines if line.marker] == ["data"]
