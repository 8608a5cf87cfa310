"""A project of one question, and its build."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from warmup.content import levels
from warmup.exports import Build
from warmup.project import ProblemError
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


HTML = """<h2 id="say-it">Say it</h2><p>Nothing much.</p>
<h2 id="run-it">Run it</h2><details class="question"><summary>Predict it</summary></details>
<h2 id="they-ask-next">They ask next</h2>
<details class="question"><summary>Why?</summary><p>Because.</p></details>
<h2 id="listening-for">Listening for</h2>
<ul>
<li><strong>Weak</strong>: One.</li>
<li><strong>Good</strong>: Two lines.</li>
<li><strong>Strong</strong>: Three.</li>
</ul>
"""


class Sources(dict):
    """What the pages' build hands on, as the files are when it is asked for."""

    def __init__(self, renderer: Renderer) -> None:
        super().__init__()
        self.renderer = renderer

    def __contains__(self, name: object) -> bool:
        try:
            return bool(self[name])
        except ProblemError:
            return False

    def __missing__(self, name: str) -> str:
        question = self.renderer.site.by_id[name]
        body = "\n".join(line.text for line in question.lines)
        return self.renderer.expand(body, question.url, question.path)


@pytest.fixture
def build(tmp_path) -> Build:
    """A site of one question in a project of its own."""
    for name, text in {
        "docs/junior/index.md": "---\ntitle: Junior\n---\n\n<!-- warmup:topics level=junior -->\n\n"
        "<!-- warmup:questions level=junior -->\n",
        "docs/junior/topic/index.md": "---\ntitle: Topic\norder: [thing]\n---\n\n"
        "<!-- warmup:questions level=junior topic=topic -->\n",
        "docs/junior/topic/thing.md": PAGE,
        "docs/about/data.md": "---\ntitle: The data\n---\n\nAll of it.\n",
        "snippets/junior/topic/thing.py": '# /// script\n# dependencies = ["torch"]\n# ///\nprint(1)\n',
        "snippets/junior/topic/thing.out": "1\n",
        "requirements-test.txt": "torch==9.9.9\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    site = levels.load(tmp_path / "docs")
    renderer = Renderer(site, tmp_path)
    return Build(
        site=site,
        renderer=renderer,
        sources=Sources(renderer),
        folder=tmp_path / "out",
        site_url="",
        name="Name",
        summary="Summary.",
        contents=dict.fromkeys(site.by_id, HTML),
    )


@pytest.fixture
def written(build) -> Callable:
    """Has an export write and gives one of its files as text."""

    def written(export, name: str) -> str:
        export.write(build)
        return (build.folder / name).read_text(encoding="utf-8")

    return written
