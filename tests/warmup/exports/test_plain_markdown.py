"""Plain Markdown from parts of a page."""

from __future__ import annotations

import pytest

from warmup.content import markdown
from warmup.exports.plain_markdown import Writer, literal


@pytest.fixture
def plain(build):
    writer = Writer(build.renderer, "junior/topic/thing.md", lambda url: f"/{url}")
    return lambda text: writer.plain(markdown.lines(text))


def test_a_fence_in_a_list_stays_in_the_list(plain):
    fence = '    ```{}\n    --8<-- "junior/topic/{}"\n    ```\n\n'
    source = fence.format('python title="thing.py"', "thing.py") + fence.format("output", "thing.out")
    assert plain(f"- One:\n\n{source}") == (
        "- One:\n\n    [thing.py](/snippets/junior/topic/thing.py):\n\n    ```python\n    print(1)\n    ```\n\n"
        "    Output (torch 9.9.9, CPU):\n\n    ```text\n    1\n    ```"
    )


def test_a_plot_is_a_link_under_its_words(plain):
    fence = '```plot alt="It rises."\n--8<-- "junior/topic/curve.svg"\n```'
    assert plain(fence) == "[Plot: It rises.](/snippets/junior/topic/curve.svg)"


def test_what_a_longer_fence_quotes_stays_as_it_is(plain):
    quoted = '````text\n```python title="a.py"\n\\(x\\) [a](b.md)\n```\n????\n````'
    assert plain(f"{quoted}\n\nOne.\n\n\n\nSee \\(x\\).") == f"{quoted}\n\nOne.\n\nSee $x$."


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("other.md", "/junior/topic/other.md"),
        ("../other/index.md#a", "/junior/other.md#a"),
        ("#why", "/junior/topic/thing.md#why"),
        ("../../practice/mock.md", "/practice/mock/"),
        ("../../labs/index.md", "/labs/"),
        ("plot.png", "/junior/topic/plot.png"),
        ("https://example.org/x.md", "https://example.org/x.md"),
    ],
)
def test_a_link_leads_to_a_copy_or_else_to_the_page_or_the_file(plain, link, expected):
    assert plain(f"See [it]({link}).") == f"See [it]({expected})."


def test_a_heading_leaves_its_anchor_to_the_site(plain):
    assert plain("### One helper {: #find }\n\nIn `{: #x }`.") == "### One helper\n\nIn `{: #x }`."


def test_plain_text_is_no_markup():
    assert literal("a_b _c_ *d* `e` [f] <g>") == r"a_b \_c\_ \*d\* \`e\` \[f\] \<g>"
