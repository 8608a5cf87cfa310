"""What the built site offers to programs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from warmup.testing import PREFIX


@pytest.fixture(scope="session")
def base() -> str:
    """The address that the site is built for."""
    return f"https://example.com{PREFIX}"


@pytest.fixture(scope="module")
def copies(site) -> dict[str, str]:
    """The Markdown copies by their addresses."""
    return {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.md"))}


@pytest.fixture(scope="module")
def data(site) -> dict:
    return json.loads((site / "questions.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def leads_nowhere(site, base) -> Callable[[str], bool]:
    """Whether a link into the site has no target."""

    def leads_nowhere(link: str) -> bool:
        path = link.partition("#")[0].removeprefix(base)
        return not (site / path / "index.html" if path.endswith("/") or not path else site / path).is_file()

    return leads_nowhere
