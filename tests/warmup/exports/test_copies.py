"""Plain Markdown, data and print views, from small sources."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import jinja2
import pytest

from warmup.content import levels
from warmup.content.questions import Question
from warmup.exports import Build, copies, paper
from warmup.project import ROOT, ProblemError
from warmup.site import schema
from warmup.site.expand import Renderer

PAGE = """---
title: What does __len__ of a [list] cost?
kind: concept
tags: [lists]
minutes: 2
---

## Say it

Nothing much. It reads a field; see [the other](../other/page.md#why).

## Run it

```python title="thing.py"
--8<-- "junior/topic/thing.py"
```

??? question "Predict it: what does `f` print?"

    ```output
    --8<-- "junior/topic/thing.out"
    ```

    Said \\(x_1\\), not `\\(x_1\\)`.

![A flow, drawn](thing.svg)

\\[
a + b
\\]

## They ask next

??? question "Why?"

    Because, as [here](thing.md#say-it) and [there](https://example.org/x.md).

    ??? question "Inner?"

        ```text
        ??? question "no fold" \\(x\\)
        ```

## Listening for

- **Weak**: One.
- **Good**: Two
  lines.
- **Strong**: Three.
"""


@pytest.fixture
def build(tmp_path) -> Build:
    """A site of one question in a project of its own."""
    for name, text in {
        "docs/junior/index.md": "---\ntitle: Junior\n---\n\n<!-- warmup:topics level=junior -->\n\n"
        "<!-- warmup:questions level=junior -->\n",
        "docs/junior/topic/index.md": "---\ntitle: Topic\norder: [thing]\n---\n\n"
        "<!-- warmup:questions level=junior topic=topic -->\n",
        "docs/junior/topic/thing.md": PAGE,
        "snippets/junior/topic/thing.py": '# /// script\n# dependencies = ["torch"]\n# ///\nprint(1)\n',
        "snippets/junior/topic/thing.out": "1\n",
        "requirements-test.txt": "torch==9.9.9\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    site = levels.load(tmp_path / "docs")
    return Build(
        site=site,
        renderer=Renderer(site, tmp_path),
        folder=tmp_path / "out",
        site_url="",
        name="Name",
        summary="Summary.",
        contents=dict.fromkeys(site.by_id, ""),
        rendered=set(site.by_id),
    )


def written(build: Build, name: str) -> str:
    copies.write(build)
    return (build.folder / name).read_text(encoding="utf-8")


def test_a_question_as_plain_markdown(build):
    assert (
        written(build, "junior/topic/thing.md")
        == """# What does \\__len_\\_ of a \\[list\\] cost?

Junior · Topic · Concept · 2 min aloud

[Read it on Name](thing/)

## Say it

Nothing much. It reads a field; see [the other](../other/page.md#why).

## Run it

[thing.py](../../snippets/junior/topic/thing.py):

```python
print(1)
```

**Predict it: what does `f` print?**

Output (torch 9.9.9, CPU):

```text
1
```

Said $x_1$, not `\\(x_1\\)`.

[Diagram: A flow, drawn](thing.svg)

$$
a + b
$$

## They ask next

### Why?

Because, as [here](thing.md#say-it) and [there](https://example.org/x.md).

**Inner?**

```text
??? question "no fold" \\(x\\)
```

## Listening for

- **Weak**: One.
- **Good**: Two
  lines.
- **Strong**: Three.

---

Name. Code: MIT. Prose: CC BY 4.0.
"""
    )


def test_an_output_that_nobody_recorded_is_not_invented(build):
    (build.renderer.snippets / "junior/topic/thing.out").unlink()
    text = written(build, "junior/topic/thing.md")
    assert "Output: not recorded yet." in text
    assert "```text\n1" not in text
    assert json.loads(written(build, "questions.json"))["questions"][0]["snippets"][0]["output"] is None


def test_an_output_from_a_device_names_it(build):
    first = "# recorded on X & Y, torch 1, fingerprint 0123456789abcdef"
    (build.renderer.snippets / "junior/topic/thing.out").write_text(f"{first}\n5\n")
    assert "Output (recorded on X & Y, torch 1):\n\n```text\n5\n```" in written(build, "junior/topic/thing.md")
    snippet = json.loads(written(build, "questions.json"))["questions"][0]["snippets"][0]
    assert (snippet["output"], snippet["recorded"]) == ("5\n", "recorded on X & Y, torch 1")


def test_a_list_of_questions_is_a_list_in_the_copy(build):
    item = "- [What does \\__len_\\_ of a \\[list\\] cost?]({}): Concept, 2 min\n"
    assert written(build, "junior/topic.md") == "# Topic\n\n" + item.format("topic/thing.md")
    assert written(build, "junior.md") == (
        "# Junior\n\n## [Topic](junior/topic.md)\n\n" + item.format("junior/topic/thing.md")
    )


def test_a_question_as_data(build):
    record = json.loads(written(build, "questions.json"))["questions"][0]
    asked = record["follow_ups"][0]
    assert asked["question"] == "Why?"
    assert asked["answer"].startswith(
        "Because, as [here](junior/topic/thing.md#say-it) and [there](https://example.org"
    )
    assert record["listening_for"] == {"weak": "One.", "good": "Two\nlines.", "strong": "Three."}
    assert record["snippets"][0]["code"].startswith("# /// script")


def test_a_question_that_cannot_be_read_does_not_stop_the_others(build):
    (build.renderer.snippets / "junior/topic/thing.py").unlink()
    assert json.loads(written(build, "questions.json"))["questions"] == []
    assert (build.folder / "junior.md").exists()


@pytest.mark.parametrize(
    ("source", "copy"),
    [
        ("junior/autograd/zero-grad.md", "junior/autograd/zero-grad.md"),
        ("junior/autograd/index.md", "junior/autograd.md"),
        ("junior/index.md", "junior.md"),
        ("about/verified.md", "about/verified.md"),
        ("index.md", ""),
        ("questions.md", ""),
        ("labs/attention-cost.ipynb", ""),
        ("practice/flashcards.md", ""),
    ],
)
def test_which_pages_have_a_copy_and_where(source, copy):
    assert copies.copy_of(source) == copy


def test_the_table_has_every_field_of_the_schema():
    path = ROOT / "docs" / copies.SCHEMA
    table = "\n".join(schema.table(path))
    descriptions = re.findall(r'"description": "([^"]*)"', path.read_text(encoding="utf-8"))
    assert len(descriptions) == table.count("\n") - 1
    assert all(f"| {description} |" in table for description in descriptions)
    assert "| `questions[].follow_ups[].answer` | string |" in table
    assert "| `questions[].snippets[].output` | string or null |" in table


def test_a_question_among_its_neighbors_keeps_its_ids_apart_and_its_links_right():
    question = Question(ROOT / "docs/junior/topic/thing.md", "---\ntitle: T\n---\n")
    anchors = {"junior/topic/thing/": "topic--thing", "junior/other/page/": "other--page"}
    html = (
        '<h2 id="why">Why<a class="headerlink" href="#why">¶</a></h2><details class="question"><p>'
        '<a href="#why">a</a><a href="../../other/page/#myth">b</a><a href="../../other/page/">c</a>'
        '<a href="../gone/#x">d</a><a href="https://example.org/">e</a></p></details>'
    )
    html += (
        '<img src="../a.png"><svg><g id="m"/><use xlink:href="#m"/><use href="#m"/></svg>'
        '<pre>print(\' id="a" href="b"\')</pre>'
    )
    assert paper.body(question, html, anchors, lambda url: f"https://host/{url}", lambda url: f"here/{url}") == (
        '<h2 aria-level="3" id="topic--thing--why">Why</h2><details open class="question"><p>'
        '<a href="#topic--thing--why">a</a><a href="#other--page--myth">b</a><a href="#other--page">c</a><a href="https://host/junior/topic/gone/#x">d</a>'
        '<a href="https://example.org/">e</a></p></details><img src="here/junior/topic/a.png">'
        '<svg><g id="topic--thing--m"/><use xlink:href="#topic--thing--m"/><use href="#topic--thing--m"/></svg>'
        '<pre>print(\' id="a" href="b"\')</pre>'
    )


def test_a_pdf_is_offered_only_where_it_is_made():
    source = (ROOT / "scripts/theme/partials/paper.html").read_text(encoding="utf-8")
    template = jinja2.Template(source, undefined=jinja2.StrictUndefined)
    page = SimpleNamespace(meta=SimpleNamespace(level=SimpleNamespace(slug="mid")))
    shown = {pdf: template.render(page=page, config=SimpleNamespace(extra=SimpleNamespace(pdf=pdf))) for pdf in ("", 1)}
    assert "print/" in shown[""]
    assert ".pdf" not in shown[""]
    assert f'href="{paper.pdf_name("mid")}"' in shown[1]


def test_without_a_built_site_the_pdf_says_what_to_run(tmp_path):
    with pytest.raises(ProblemError, match="make pdf"):
        paper.pdfs(tmp_path)
