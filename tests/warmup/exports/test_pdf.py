"""Where a PDF is offered and made."""

from __future__ import annotations

from types import SimpleNamespace

import jinja2
import pytest

from warmup.exports import pdf as pdf_file
from warmup.exports import print_view
from warmup.project import ROOT, ProblemError


def test_a_pdf_is_offered_only_where_it_is_made():
    source = (ROOT / "scripts/theme/partials/paper.html").read_text(encoding="utf-8")
    template = jinja2.Template(source, undefined=jinja2.StrictUndefined)
    page = SimpleNamespace(meta=SimpleNamespace(level=SimpleNamespace(slug="mid", sheet=None)))
    shown = {pdf: template.render(page=page, config=SimpleNamespace(extra=SimpleNamespace(pdf=pdf))) for pdf in ("", 1)}
    assert "print/" in shown[""]
    assert ".pdf" not in shown[""]
    for view in (print_view.PRINT, print_view.SHORT):
        assert f'href="{view}"' in shown[""]
        assert f'href="{pdf_file.name_of("mid", view)}"' in shown[1]


def test_without_a_built_site_the_pdf_says_what_to_run(tmp_path):
    with pytest.raises(ProblemError, match="make pdf"):
        pdf_file.write_all(tmp_path, lambda: pytest.fail("It looks for a Chromium."), ())
