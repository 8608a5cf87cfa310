"""Pages as the site renders them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import markdown
import pytest

from warmup.kinds.drills import Drill
from warmup.kinds.questions import Question
from warmup.site.form import Form


@pytest.fixture
def render(tmp_path) -> Callable[..., str]:
    """Renders Markdown as the site does, with marks; diagrams come from the test's folder."""

    def render(text: str, page: Question | Drill | None = None, url: str = "", docs: Path = tmp_path) -> str:
        form = Form(docs)
        form.page, form.url = page, url
        extensions = ["attr_list", "tables", "toc", "pymdownx.details", "pymdownx.superfences", form]
        return markdown.markdown(text, extensions=extensions, extension_configs={"toc": {"permalink": True}})

    return render
