"""What a page becomes between Markdown and HTML."""

from __future__ import annotations


def test_a_diagram_is_inlined_under_its_description(render, tmp_path):
    (tmp_path / "junior/topic").mkdir(parents=True)
    (tmp_path / "junior/topic/d.svg").write_text('<?xml version="1.0"?><!-- x --><svg><title>d</title><g/></svg>')
    shown = render('![A "flow".](../d.svg)', url="junior/topic/thing/")
    assert shown == ('<figure class="tw-diagram"><svg role="img" aria-label="A &quot;flow&quot;."><g/></svg></figure>')


def test_two_diagrams_of_a_page_have_no_id_in_common(render, tmp_path):
    (tmp_path / "junior/topic").mkdir(parents=True)
    for name in ("a", "b"):
        (tmp_path / f"junior/topic/{name}.svg").write_text('<svg><g id="m"/><g clip-path="url(#m)"/></svg>')
    shown = render("![A](../a.svg)\n\n![B](../b.svg)", url="junior/topic/thing/")
    assert '<g id="figure-1--m"/><g clip-path="url(#figure-1--m)"/>' in shown
    assert '<g id="figure-2--m"/><g clip-path="url(#figure-2--m)"/>' in shown


def test_a_diagram_of_another_page_is_inlined_where_its_text_is_shown(render, tmp_path):
    (tmp_path / "junior/topic").mkdir(parents=True)
    (tmp_path / "junior/topic/d.svg").write_text("<svg><g/></svg>")
    shown = render("![A](../../../../junior/topic/d.svg)", url="about/myths/junior/topic/")
    assert shown == '<figure class="tw-diagram"><svg role="img" aria-label="A"><g/></svg></figure>'


def test_a_picture_within_a_line_stays_a_picture(render, tmp_path):
    (tmp_path / "d.svg").write_text("<svg><g/></svg>")
    assert "<img" in render("A dot ![A](d.svg) here.") and "<img" in render("![A](missing.svg)")
