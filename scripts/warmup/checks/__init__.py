"""What is wrong with the content, as a list of problems."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from pathlib import Path

from warmup import memory
from warmup.checks import aliases, diagrams, outputs, snippets, tags
from warmup.content import confirmed, mistakes, sources
from warmup.content.outputs import is_program
from warmup.kinds import drills, navigation, plans, puzzles, question_limits, sheets
from warmup.kinds.levels import Site
from warmup.project import SNIPPETS, Problem


def _checked(
    path: Path, about: Iterable[object], check: Callable[..., Iterable[Problem]], *arguments: object
) -> list[Problem]:
    """What a check finds wrong with ``path``, found again only if ``about``, files among it, has changed."""
    state = [memory.of_file(one) if isinstance(one, Path) else repr(one) for one in about]
    key = (memory.tools(), sys.version, str(path), *state)
    return memory.remembered("problems", key, lambda: list(check(*arguments)))


def _of_snippet(path: Path, folder: Path) -> list[Problem]:
    if sources.is_made(path):  # its text is looked at where it comes from
        return [*outputs.problems(path)]
    return [*snippets.problems(path, is_program(path.relative_to(folder))), *outputs.problems(path)]


def problems(site: Site, folder: Path = SNIPPETS, only: Container[Path] | None = None) -> list[Problem]:
    """Every problem of pages, diagrams, snippets and recorded outputs, each once, by file and line.

    Args:
        site: what was read.
        folder: where its snippets stand.
        only: pages, snippets, and folders of diagrams: what to look into, None for everything. How pages fit together
            is always looked at.
    """

    def asked(path: Path) -> bool:
        return only is None or path in only

    found = [*site.problems]
    for level in site.levels:
        found += sheets.problems(level.sheet, level.questions, folder) if level.sheet else []
        for topic in level.topics:
            found += navigation.order(topic)
            if not asked(place := topic.index.path.parent):
                continue
            files = [place, *(file for kind in ("dot", "svg", "md") for file in place.glob(f"*.{kind}"))]
            found += _checked(place, files, diagrams.problems, place)
    found += tags.problems(site.questions)
    for question in (one for one in site.questions if asked(one.path)):
        shown = [folder / include.path for include in question.includes]
        named = [question.path.parents[2] / f"{name}.md" for name in question.meta.get("related") or []]
        programs = [one.with_suffix(".py") for one in shown]
        found += _checked(
            question.path, [question.path, *shown, *named, *programs], question_limits.problems, question, folder
        )
    for puzzle in (one for one in site.puzzles if asked(one.page.path)):
        files = [puzzle.page.path, *(folder / name for name in sorted(puzzle.files))]
        found += _checked(puzzle.page.path, [*files, puzzle.question is None], puzzles.problems, puzzle, folder)
    for page in (one for one in site.drills if asked(one.path)):
        own = [*(folder / page.id).rglob("*.py"), folder / page.id / mistakes.FILE, (folder / page.id).parent]
        own += [(folder / name).with_suffix(kind) for name in page.snippets for kind in (".out", ".svg")]
        named = [page.path.parents[2] / f"{name}.md" for name in page.meta.get("related") or []]
        shared = (folder / page.id).parent.glob("*.py")
        about = [page.path, *sorted(own), *named, *shared, *(folder / include.path for include in page.includes)]
        found += _checked(page.path, about, drills.problems, page, folder)
    others: defaultdict[Path, list[Path]] = defaultdict(list)
    for other in folder.rglob("*.torch-*"):
        others[other.parent].append(other)
    for path in filter(asked, sources.below(folder)):
        # A folder's names say whether a file came or went, as a variant of an output.
        files = [path.parent, path.with_suffix(".out"), path.with_suffix(".svg"), *others[path.parent]]
        files += [*sources.files(path), folder / confirmed.NAME]
        found += _checked(path, files, _of_snippet, path, folder)
    return sorted({*found, *aliases.problems(site), *plans.problems(site), *snippets.orphans(site, folder)})
