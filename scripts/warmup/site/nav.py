"""The navigation: ``mkdocs.yml`` names the topics' folders, the pages say the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from warmup.content.pages import Site
from warmup.project import Problem

_TOPIC = re.compile(r"[a-z]+/[a-z0-9-]+")


def topic_order(nav: list) -> list[str]:
    """The folders that ``nav`` names, as ``level/topic``, in its order."""
    found = []
    for entry in nav or []:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(value, list):
                found += topic_order(value)
            elif _TOPIC.fullmatch(value):
                found.append(value)
    return found


def expand(nav: list, site: Site) -> list:
    """``nav`` with each topic's folder replaced by its index and its questions, under their names."""
    topics = {f"{t.level}/{t.slug}": t for level in site.levels for t in level.topics}
    result = []
    for entry in nav or []:
        if isinstance(entry, dict):
            result.append({k: expand(v, site) if isinstance(v, list) else v for k, v in entry.items()})
        elif entry in topics:
            topic = topics[entry]
            questions = [{q.short: f"{q.id}.md"} for q in topic.questions]
            result.append({topic.label: [f"{entry}/index.md", *questions]})
        elif not _TOPIC.fullmatch(entry):
            result.append(entry)
    return result


def check(nav: list, site: Site) -> Iterator[Problem]:
    """Topics that ``nav`` names and nobody wrote, and topics that it does not name."""
    listed = topic_order(nav)
    written = [f"{t.level}/{t.slug}" for level in site.levels for t in level.topics]
    for name in listed:
        if name not in written:
            yield Problem("mkdocs.yml", 0, f"nav names docs/{name}, which has no pages.", "Take it out.")
    for name in written:
        if name not in listed:
            yield Problem("mkdocs.yml", 0, f"nav does not name the topic {name}.", f"Add '- {name}' under its level.")
