"""The navigation in ``mkdocs.yml``: it names the topics' folders; the pages say the rest."""

from __future__ import annotations

import re

import yaml

from warmup.content.drills import Drill
from warmup.content.exercises import Exercise
from warmup.content.trainers import Trainer
from warmup.project import ROOT, Problem, ProblemError

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
