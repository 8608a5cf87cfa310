"""Every output that a page shows is what its snippet prints today."""

from __future__ import annotations

import pytest

from warmup.content import outputs
from warmup.project import SNIPPETS
from warmup.run.comparison import compare, header_of


def snippets():
    for path in outputs.programs(SNIPPETS):
        found = header_of(path)
        marks = [getattr(pytest.mark, need) for need in sorted(found.needs)]
        if found.slow:
            marks.append(pytest.mark.slow)
        yield pytest.param(path, marks=marks, id=path.relative_to(SNIPPETS).with_suffix("").as_posix())


@pytest.mark.parametrize("path", list(snippets()))
def test_snippet_prints_what_its_page_shows(path, runner):
    result = runner.run(path)
    assert result.status == "ok", f"{result.message}\n{result.stderr}"
    difference = compare(path, result)
    assert not difference, difference
