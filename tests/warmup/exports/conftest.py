"""A project of one question, and its build."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from warmup.exports import Build
from warmup.kinds import levels
from warmup.site.expand import Renderer
from warmup.site.sections import Sections

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

??? guess "What does `f` print?"

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


SHOWN = Sections(
    marked="<p>Nothing much.</p>",
    say="<p>Nothing much.</p>",
    run='<details class="guess"><summary>What?</summary></details>',
    task="",
    follow_ups=[("Why?", "<p>Because.</p>")],
    ladder=[("Weak", "One."), ("Good", "Two lines."), ("Strong", "Three.")],
)


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
        folder=tmp_path / "out",
        site_url="",
        name="Name",
        summary="Summary.",
        contents=dict.fromkeys(site.by_id, SHOWN),
    )


@pytest.fixture
def written(build) -> Callable:
    """Has an export write and gives one of its files as text."""

    def written(export, name: str) -> str:
        export.write(build)
        return (build.folder / name).read_text(encoding="utf-8")

    return written
