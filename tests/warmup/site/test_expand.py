"""Includes and markers of a page, and the outputs that it shows."""

from __future__ import annotations

import pytest

from warmup.content import outputs
from warmup.kinds import levels
from warmup.project import ProblemError
from warmup.site import blocks
from warmup.site.expand import Renderer

HEADER = '# /// script\n# dependencies = ["torch>=2.11"]\n#\n# [tool.warmup]\n# needs = "cuda"\n# ///\n'


@pytest.fixture
def renderer(tmp_path):
    folder = tmp_path / "snippets" / "junior" / "topic"
    folder.mkdir(parents=True)
    (folder / "thing.py").write_text(HEADER + "print('<b>')\n")
    (folder / "thing.out").write_text("<b>\n")
    (tmp_path / "requirements-test.txt").write_text("torch==9.9.9\n")
    (tmp_path / "tests" / "snippets").mkdir(parents=True)
    return Renderer(levels.Site([], []), tmp_path)


def expand(renderer, markdown):
    return renderer.expand(markdown, "junior/topic/thing/", renderer.root / "docs/junior/topic/thing.md")


def test_an_include_becomes_the_file_without_its_header(renderer):
    text = expand(renderer, '```python title="thing.py"\n--8<-- "junior/topic/thing.py"\n```')
    assert text == (
        '```python title="thing.py" download="../../../snippets/junior/topic/thing.py" needs="CUDA GPU"\n'
        "print('<b>')\n```"
    )


def test_a_fence_that_only_quotes_a_snippet_has_no_download(renderer):
    text = expand(renderer, '```text\n--8<-- "junior/topic/thing.py"\n```')
    assert text == "```text\nprint('<b>')\n```"


def test_an_include_keeps_the_indentation_of_a_fold(renderer):
    text = expand(renderer, '??? question "Q?"\n\n    ```python\n    --8<-- "junior/topic/thing.py"\n    ```')
    assert "\n    print('<b>')\n    ```" in text


def test_an_exact_output_is_labeled_with_the_pinned_torch(renderer):
    text = expand(renderer, '```output\n--8<-- "junior/topic/thing.out"\n```')
    assert text == '```output file="junior/topic/thing.out"\n<b>\n```'
    assert renderer.output(renderer.snippets / "junior/topic/thing.out").recorded == "torch 9.9.9, CPU"


FENCE = '```output\n--8<-- "junior/topic/thing.out"\n```'


def shown(renderer):
    """The output as its page shows it: expanded, then formatted with the options that its fence was given."""
    opening, *body = expand(renderer, FENCE).split("\n")[:-1]
    options = {"file": opening.partition('file="')[2].rstrip('"')}
    [fence] = [
        one["format"]
        for one in blocks.fences(lambda name: renderer.output(renderer.snippets / name), renderer.snippets)
        if one["name"] == "output"
    ]
    return fence("\n".join(body), "output", "", options, None)


def test_a_recorded_output_is_labeled_with_what_its_first_line_says_escaped_once(renderer):
    out = renderer.snippets / "junior/topic/thing.out"
    out.write_text(outputs.written("5\n", "", 'AT&T "X"', "1", "2026-01-01"))
    assert expand(renderer, FENCE).split("\n")[1:] == ["5", "```"]
    text = shown(renderer)
    assert '<span class="tw-output__with">recorded on AT&amp;T &quot;X&quot;, torch 1, 2026-01-01</span>' in text
    assert "fingerprint" not in text


def test_a_measured_output_says_how_far_its_numbers_vary(renderer):
    folder = renderer.snippets / "junior/topic"
    header = '# [tool.warmup]\n# output = "measured"\n# tolerance = 0.02'
    (folder / "thing.py").write_text(f"# /// script\n{header}\n# ///\n")
    (folder / "thing.out").write_text(outputs.written("5\n", "", "X", "1", "2026-01-01"))
    assert "2026-01-01; numbers vary between machines within 2 %</span>" in shown(renderer)


def test_what_another_torch_prints_is_named_below_the_recorded_output(renderer):
    folder = renderer.snippets / "junior/topic"
    (folder / "thing.torch-from-9.10.out").write_text(outputs.written("<b>\n<i>\n", "", "X", "9.10", "2026-01-01"))
    text = shown(renderer)
    assert "<summary>With torch 9.10 and later</summary>" in text
    assert text.count("&lt;b&gt;") == 1
    assert text.count("&lt;i&gt;") == 1


def test_an_unrecorded_output_says_so_and_shows_nothing_invented(renderer):
    (renderer.snippets / "junior/topic/thing.out").unlink()
    text = shown(renderer)
    assert "Not recorded yet." in text
    assert "<pre" not in text


def test_an_include_that_does_not_exist_names_page_and_file(renderer):
    with pytest.raises(ProblemError, match=r"thing\.md: It includes snippets/junior/gone\.py"):
        expand(renderer, '```python\n--8<-- "junior/gone.py"\n```')


def test_an_unknown_marker_lists_the_known_ones(renderer):
    with pytest.raises(ProblemError, match=r"Unknown marker warmup:nonsense\. Known: .*questions"):
        expand(renderer, "<!-- warmup:nonsense -->")


def test_a_marker_inside_a_fence_is_text(renderer):
    assert expand(renderer, "```text\n<!-- warmup:nonsense -->\n```") == "```text\n<!-- warmup:nonsense -->\n```"
