"""What is wrong with the content, as a list of problems."""

from __future__ import annotations

from pathlib import Path

from warmup.checks import navigation, outputs, puzzles, questions, snippets
from warmup.content.levels import Site
from warmup.project import SNIPPETS, Problem


def problems(site: Site, folder: Path = SNIPPETS) -> list[Problem]:
    """Every problem of questions, puzzles, snippets and recorded outputs, each once, by file and line.

    Args:
        site: what was read.
        folder: where its snippets stand.
    """
    found = [*site.problems]
    for level in site.levels:
        for topic in level.topics:
            found += navigation.order(topic)
    for question in site.questions:
        found += questions.problems(question, folder)
    for puzzle in site.puzzles:
        found += puzzles.problems(puzzle, folder)
    for path in folder.rglob("*.py"):
        found += [*snippets.problems(path), *outputs.problems(path)]
    return sorted({*found, *snippets.orphans(site, folder)})
