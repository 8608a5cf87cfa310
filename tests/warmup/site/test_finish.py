"""The last steps of a page's HTML."""

from __future__ import annotations

import pytest

from warmup.site.finish import finish


def test_math_becomes_mathml(tmp_path):
    shown = finish(r'<p><span class="arithmatex">\(p - y\)</span></p>', "junior/topic/thing/", tmp_path)
    assert "<math" in shown
    assert "arithmatex" not in shown


def test_math_that_does_not_convert_says_which_formula(tmp_path):
    with pytest.raises(ValueError, match=r"\\notacommand"):
        finish(r'<p><span class="arithmatex">\(\notacommand{x}\)</span></p>', "junior/topic/thing/", tmp_path)


def test_a_diagram_is_inlined_under_its_description(tmp_path):
    (tmp_path / "junior/topic").mkdir(parents=True)
    (tmp_path / "junior/topic/d.svg").write_text('<?xml version="1.0"?><!-- x --><svg><title>d</title><g/></svg>')
    shown = finish('<p><img alt="A flow." src="../d.svg" /></p>', "junior/topic/thing/", tmp_path)
    assert shown == '<figure class="tw-diagram"><svg role="img" aria-label="A flow."><g/></svg></figure>'


def test_two_diagrams_of_a_page_have_no_id_in_common(tmp_path):
    (tmp_path / "junior/topic").mkdir(parents=True)
    for name in ("a", "b"):
        (tmp_path / f"junior/topic/{name}.svg").write_text('<svg><g id="m"/><g clip-path="url(#m)"/></svg>')
    shown = finish(
        '<p><img alt="A" src="../a.svg" /></p><p><img alt="B" src="../b.svg" /></p>', "junior/topic/thing/", tmp_path
    )
    assert '<g id="figure-1--m"/><g clip-path="url(#figure-1--m)"/>' in shown
    assert '<g id="figure-2--m"/><g clip-path="url(#figure-2--m)"/>' in shown


def test_a_diagram_of_another_page_is_inlined_where_its_text_is_shown(tmp_path):
    (tmp_path / "junior/topic").mkdir(parents=True)
    (tmp_path / "junior/topic/d.svg").write_text("<svg><g/></svg>")
    shown = finish('<p><img alt="A" src="../../../../junior/topic/d.svg" /></p>', "about/myths/junior/topic/", tmp_path)
    assert shown == '<figure class="tw-diagram"><svg role="img" aria-label="A"><g/></svg></figure>'
