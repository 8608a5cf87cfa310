"""A plot stands in the page under its own words, with ids of its own, and in the copy as a link."""

from __future__ import annotations

import re

import pytest

from warmup.site import blocks, drawings

SVG = (
    "<!-- drawn with torch 2.13.0, fingerprint 0123456789abcdef -->\n"
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">\n<title>t</title>'
    '<defs><path id="mark" d="M 0 0\nL 1 1"/></defs>'
    '<use href="#mark" style="stroke: var(--tw-plot-1, #0060a8)"/></svg>\n'
)


@pytest.fixture
def snippets(tmp_path):
    (tmp_path / "curve.svg").write_text(SVG)
    return tmp_path


def fence(snippets, **options):
    [plot] = [one for one in blocks.fences(lambda name: None, snippets) if one["name"] == "plot"]
    given: dict = {}
    assert plot["validator"]("plot", options, given, {}, None) is (set(options) == {"file", "alt"})
    return plot["format"]("", "plot", "tw-diagram", given, None)


def test_a_plot_is_inline_and_named(snippets):
    html = fence(snippets, file="curve.svg", alt='It rises & "falls"')
    assert html.startswith('<figure class="tw-diagram"><svg role="img" aria-label="It rises &amp; &quot;falls&quot;"')
    assert "<!--" not in html and "<title>" not in html and "\n" not in html
    assert 'id="plot-curve--mark"' in html and 'href="#plot-curve--mark"' in html
    assert "var(--tw-plot-1, #0060a8)" in html


def test_a_plot_that_nobody_recorded_says_so(snippets):
    assert "Not recorded yet" in fence(snippets, file="missing.svg", alt="x")


def test_two_drawings_share_no_ids(snippets):
    both = "".join(drawings.inline(snippets / "curve.svg", "x", prefix) for prefix in ("a--", "b--"))
    ids = re.findall(r'\bid="([^"]+)"', both)
    assert len(ids) == len(set(ids)) == 2
