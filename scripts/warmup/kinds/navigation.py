"""The navigation in ``mkdocs.yml``: it names the topics' folders; the pages say the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from warmup.kinds.drills import Drill
from warmup.kinds.exercises import Exercise
from warmup.kinds.levels import Level, Site, Topic
from warmup.kinds.trainers import Trainer
from warmup.project import ROOT, Problem, ProblemError, relative

TOPIC = re.compile(r"[a-z]+/[a-z0-9-]+")
# Folders in nav that are no topics.
PRACTICE: dict[str, type[Drill]] = {kind.folder_of_all: kind for kind in (Exercise, Trainer)}


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml without MkDocs: its ``!ENV`` values do not matter here."""


_Loader.add_constructor("!ENV", lambda loader, node: None)


def read() -> list:
    """The navigation of this project.

    Raises:
        ProblemError: the file is not YAML.
    """
    try:
        return yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader=_Loader)["nav"]
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise ProblemError(
            Problem(
                "mkdocs.yml",
                line,
                f"It is not YAML: {error.problem}.",
                "Quote a value that holds a colon, and indent with spaces.",
            )
        ) from error


def folders(nav: list) -> list[str]:
    """The folders that ``nav`` names, in its order: topics as ``level/topic``, and those of ``PRACTICE``."""
    found = []
    for entry in nav or []:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(value, list):
                found += folders(value)
            elif TOPIC.fullmatch(value):
                found.append(value)
    return found


def topic_order(nav: list) -> list[str]:
    """The topics that ``nav`` names, as ``level/topic``, in its order."""
    return [name for name in folders(nav) if name not in PRACTICE]


# A row that begins with a number and a link to a topic.
_ROW = re.compile(r"\| *\d+ *\| *\[[^\]]+\]\(([a-z0-9-]+)/index\.md\)")


def problems(nav: list, site: Site) -> Iterator[Problem]:
    """Folders that ``nav`` names in vain, twice or not at all, and tables in another order."""
    listed = topic_order(nav)
    topics = [topic for level in site.levels for topic in level.topics]
    written = [topic.id for topic in topics]
    for name in listed:
        if name not in written:
            yield Problem("mkdocs.yml", 0, f"nav names docs/{name}, which has no pages.", "Take it out.")
    for name in written:
        if name not in listed:
            yield Problem("mkdocs.yml", 0, f"nav does not name the topic {name}.", f"Add '- {name}' under its level.")
    named = folders(nav)
    for name in sorted({name for name in named if named.count(name) > 1}):
        yield Problem("mkdocs.yml", 0, f"nav names {name} more than once.", "Keep it where it belongs.")
    for name in sorted({page.folder_of_all for page in site.drills} - {*named}):
        yield Problem("mkdocs.yml", 0, f"nav does not name {name}.", f"Add '- {name}' under Practice.")
    for level in site.levels:
        yield from prepare(level)


def prepare(level: Level) -> Iterator[Problem]:
    """A table of topics on a level's index whose order is not that of ``nav``."""
    if index := level.index:
        rows = [(line.number, match[1]) for line in index.lines if (match := _ROW.match(line.text))]
        shown, listed = [slug for _, slug in rows], [topic.slug for topic in level.topics]
        if shown and shown != listed:
            at = next((row[0] for row, slug in zip(rows, listed, strict=False) if row[1] != slug), rows[-1][0])
            fix = f"nav in mkdocs.yml has {', '.join(listed)}. One order everywhere: change one of them."
            yield Problem(relative(index.path), at, f"The table of topics has {', '.join(shown)}.", fix)


def order(topic: Topic) -> Iterator[Problem]:
    """Questions that a topic's ``order`` names twice, wrongly or not at all."""
    index, folder = topic.index, topic.index.path.parent
    yield from index.unfit

    def problem(message: str, fix: str) -> Problem:
        return Problem(relative(index.path), index.line_of("order"), message, fix)

    for slug in dict.fromkeys(index.order):
        if index.order.count(slug) > 1:
            yield problem(f"order names {slug!r} more than once.", "Keep it where it belongs.")
        if not (folder / f"{slug}.md").exists():
            yield problem(f"order names {slug!r}, which is not a page here.", f"Take it out, or write {slug}.md.")
    for question in topic.questions if not index.unfit else ():
        if question.slug not in index.order:
            fix = f"Add it where it belongs in the path through {folder.name}."
            yield problem(f"order does not name {question.slug!r}.", fix)
