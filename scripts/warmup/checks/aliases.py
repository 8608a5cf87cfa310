"""Other names for a page's subject, which the search knows: too many, in the title already, or of two pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from warmup.content.page import Page
from warmup.kinds.levels import Site
from warmup.project import Problem, relative

MOST = 10


def problems(site: Site) -> Iterator[Problem]:
    """Every problem with the aliases of questions, and with those of exercises and trainers."""
    # An exercise may share one with the question that explains its subject: both are answers.
    yield from _among(site.questions)
    yield from _among(site.drills)


def _among(pages: Iterable[Page]) -> Iterator[Problem]:
    owners: dict[str, Page] = {}
    for page in pages:
        place, line = relative(page.path), page.line_of("aliases")
        aliases = page.meta.get("aliases") or []
        if len(aliases) > MOST:
            yield Problem(place, line, f"{len(aliases)} aliases; at most {MOST}.", "Keep the words that people type.")
        title = {word.strip(".").casefold() for word in re.findall(r"[\w.]+", str(page.meta.get("title") or ""))}
        for alias in aliases:
            name = alias.casefold()
            if name in title:
                yield Problem(place, line, f"The alias {alias!r} is in the title.", "Leave it out.")
            if name in owners:
                other = "itself" if owners[name] is page else relative(owners[name].path)
                yield Problem(place, line, f"{alias!r} is an alias of {other}, too.", "Keep it where it is answered.")
            owners[name] = page
