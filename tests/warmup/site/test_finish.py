"""The last steps of a page's HTML."""

from __future__ import annotations

import pytest

from warmup.site.finish import finish


def test_math_becomes_mathml():
    shown = finish(r'<p><span class="arithmatex">\(p - y\)</span></p>')
    assert "<math" in shown
    assert "arithmatex" not in shown


def test_math_that_does_not_convert_says_which_formula():
    with pytest.raises(ValueError, match=r"\\notacommand"):
        finish(r'<p><span class="arithmatex">\(\notacommand{x}\)</span></p>')
