"""The navigation as MkDocs takes it: each folder in ``mkdocs.yml`` becomes its pages."""

from __future__ import annotations

import html

from warmup.kinds.entry import Entry
from warmup.kinds.levels import Site
from warmup.kinds.navigation import PRACTICE, TOPIC


def expand(nav: list, site: Site) -> list:
    """``nav`` with each folder replaced by its index and its other pages, under their names."""
    topics = {f"{t.level}/{t.slug}": t for level in site.levels for t in level.topics}
    result = []
    for entry in nav or []:
        if isinstance(entry, dict):
            result.append({k: expand(v, site) if isinstance(v, list) else v for k, v in entry.items()})
        elif entry in topics:
            topic = topics[entry]
            questions = [{_name(q): f"{q.id}.md"} for q in topic.questions]
            result.append({topic.label: [f"{entry}/index.md", *questions]})
        elif entry in PRACTICE:
            pages = [{_name(page): f"{page.id}.md"} for page in site.drills if page.folder_of_all == entry]
            result.append({PRACTICE[entry].label_of_all: [f"{entry}/index.md", *pages]})
        elif not TOPIC.fullmatch(entry):
            result.append(entry)
    return result


def _name(page: Entry) -> str:
    """Its name, which MkDocs' and Material's templates take for HTML."""
    return html.escape(page.short, quote=False)
