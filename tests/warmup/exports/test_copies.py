"""Plain Markdown from small sources."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from warmup.exports import copies, data


def test_a_question_as_plain_markdown(build, written):
    assert (
        written(copies, "junior/topic/thing.md")
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

**What does `f` print?**

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


def test_an_output_that_nobody_recorded_is_not_invented(build, written):
    (build.renderer.snippets / "junior/topic/thing.out").unlink()
    text = written(copies, "junior/topic/thing.md")
    assert "Output: not recorded yet." in text
    assert "```text\n1" not in text
    assert json.loads(written(data, "questions.json"))["questions"][0]["snippets"][0]["output"] is None


def test_an_output_from_a_device_names_it(build, written):
    first = "# recorded on X & Y, torch 1, fingerprint 0123456789abcdef"
    (build.renderer.snippets / "junior/topic/thing.out").write_text(f"{first}\n5\n")
    assert "Output (recorded on X & Y, torch 1):\n\n```text\n5\n```" in written(copies, "junior/topic/thing.md")
    snippet = json.loads(written(data, "questions.json"))["questions"][0]["snippets"][0]
    assert (snippet["output"], snippet["recorded"]) == ("5\n", "recorded on X & Y, torch 1")


def test_a_list_of_questions_is_a_list_in_the_copy(build, written):
    item = "- [What does \\__len_\\_ of a \\[list\\] cost?]({}): Concept, 2 min\n"
    assert written(copies, "junior/topic.md") == "# Topic\n\n" + item.format("topic/thing.md")
    assert written(copies, "junior.md") == (
        "# Junior\n\n## [Topic](junior/topic.md)\n\n" + item.format("junior/topic/thing.md")
    )


def test_a_question_that_could_not_be_built_does_not_stop_the_others(build):
    build = replace(build, contents={})
    for export in (data, copies):
        export.write(build)
    assert json.loads((build.folder / "questions.json").read_text(encoding="utf-8"))["questions"] == []
    assert (build.folder / "junior.md").exists()
    assert not (build.folder / "junior/topic/thing.md").exists()


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
