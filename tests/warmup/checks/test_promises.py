"""The sentences that promise most are found in prose, lists, tables and folds, and not in code or quotations."""

from __future__ import annotations

from pathlib import Path

from warmup.checks.promises import promises
from warmup.content.page import Page

TEXT = """---
title: T
---

## Say it

Nothing raises. This sentence promises little. Every
step is the same.

- One item is free, "always" in quotes is not.
- Another never is.

| a | only one |
|---|---|

```python
x = "always"
```

??? question "Always?"

    It cannot fail.
"""


def test_the_words_and_the_first_line_of_the_paragraph_are_told():
    assert [(line, words) for line, words, _ in promises(Page(Path("x.md"), TEXT))] == [
        (7, ["nothing"]),
        (7, ["every", "the same"]),
        (10, ["free"]),
        (11, ["never"]),
        (13, ["only"]),
        (22, ["cannot"]),
    ]


def test_the_sentence_is_told_whole_across_lines():
    assert (7, ["every", "the same"], "Every step is the same.") in promises(Page(Path("x.md"), TEXT))
