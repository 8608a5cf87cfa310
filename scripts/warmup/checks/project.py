"""What is wrong with the whole project: what a build looks at, and what only those who work on it need to know."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from warmup import checks
from warmup.checks import claims, retired
from warmup.kinds import exercises, labs, levels, markup, navigation, puzzles, sheets, trainers
from warmup.kinds import labs as notebooks
from warmup.kinds.levels import Site
from warmup.kinds.navigation import read, topic_order
from warmup.project import DOCS, ROOT, Problem, ProblemError, relative
from warmup.vocabulary import LEVELS


def problems(only: Collection[Path] | None = None) -> tuple[Site, list[Problem]]:
    """This project's pages, and every problem of them and of what belongs to them, each once, by file and line.

    Args:
        only: the files, and folders of diagrams, to look into, as ``checks.problems`` takes them; None for all.
    """
    found: list[Problem] = []
    nav: list = []
    try:
        nav = read()
    except ProblemError as error:
        found.append(error.problem)
    site = levels.load(topic_order=topic_order(nav))
    if nav:
        found += navigation.problems(nav, site)
    found += [*checks.problems(site, only=only), *retired.find(only=only)]
    if (ROOT / "tests" / "snippets").is_dir():  # the tests' small project has no claims, and not all pages
        found += [*unread(site), *retired.misplaced(site), *claims.problems(site, only=only)]
    for path in (*DOCS.rglob("*.md"), *ROOT.glob("*.md")):
        found += markup.problems(path) if only is None or path in only else []
    for path in notebooks.find([]):
        found += labs.problems(path) if only is None or path in only else []
    return site, sorted(set(found))


def unread(site: Site, docs: Path = DOCS) -> Iterator[Problem]:
    """Pages below ``docs`` that the site does not read, and levels without a cheat sheet."""
    read = {page.path for page in (*site.questions, *site.drills)} | {puzzle.page.path for puzzle in site.puzzles}
    read |= {level.sheet.path for level in site.levels if level.sheet}
    reported = {problem.path for problem in site.problems}
    for folder in (*LEVELS, puzzles.FOLDER, exercises.FOLDER, trainers.FOLDER):
        for path in sorted((docs / folder).rglob("*.md")):
            if path.name != "index.md" and path not in read and relative(path) not in reported:
                fix = "A question is docs/level/topic/slug.md, and practice has no folders below its own: move it."
                yield Problem(relative(path), 0, "The site does not read this page.", fix)
    for level in site.levels:
        if not level.sheet and relative(path := docs / level.slug / sheets.NAME) not in reported:
            yield Problem(relative(path), 0, "The level has no cheat sheet.", "Give each of its questions a line.")
