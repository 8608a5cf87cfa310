"""What a marker on a page stands for: figures, lists of questions, puzzles and myths, and parts of other files.

Most are the HTML of a template in ``scripts/theme/fragments``, named as the marker is. What a plain Markdown copy of
the page can use too is Markdown.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2

from warmup import vocabulary
from warmup.content import outputs, versions
from warmup.kinds import plans
from warmup.kinds.levels import Site
from warmup.kinds.puzzles import Puzzle
from warmup.project import ROOT
from warmup.site import topic_pages
from warmup.site.links import rebase, source_link


@dataclass(frozen=True)
class Figures:
    """Live figures for the front door and the page about verification."""

    questions: int
    snippets: int
    outputs: int
    unrecorded: int
    claims: int
    torch: str
    exercises: int = 0
    trainers: int = 0


def figures(site: Site, root: Path) -> Figures:
    """Count what the project at ``root`` has."""
    shown = [root / "snippets" / name for name in site.snippets]
    recorded = sum(path.with_suffix(".out").exists() for path in shown)
    return Figures(
        questions=len(site.questions),
        snippets=len(shown),
        outputs=recorded,
        unrecorded=len(shown) - recorded,
        claims=count_claims(root / "tests" / "snippets"),
        torch=outputs.recorded_torch(root),
        exercises=len(site.exercises),
        trainers=len(site.trainers),
    )


def count_claims(folder: Path) -> int:
    """Tests below ``tests/snippets``: each is one claim, whatever the number of its parameters."""
    return sum(
        len(re.findall(r"^\s*def test_\w+", path.read_text(encoding="utf-8"), flags=re.M))
        for path in sorted(folder.rglob("test_*.py"))
    )


@functools.cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(ROOT / "scripts" / "theme" / "fragments"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def fragments() -> list[str]:
    """The names of the templates."""
    return [Path(name).stem for name in _templates().list_templates()]


def fragment(
    name: str,
    site: Site,
    figures: Figures,
    puzzles: Mapping[str, list[Puzzle]],
    root: Path,
    link: Callable[[str], str],
    arguments: Mapping[str, str],
) -> list[str]:
    """A template's HTML as lines of Markdown.

    Args:
        name: the template.
        site: the questions.
        figures: what there is of everything.
        puzzles: those to show, by the id of their topic.
        root: the project.
        link: makes an address below the site's root fit for the page.
        arguments: what the marker says; what it does not say of ``level``, ``topic`` and ``under`` is None.
    """
    text = (
        _templates()
        .get_template(f"{name}.html")
        .render(
            site=site,
            figures=figures,
            puzzles=puzzles,
            kinds=vocabulary.KINDS,
            plans=lambda: plans.plans(site),
            times=plans.TIMES,
            as_time=plans.as_time,
            versions=versions.read(root),
            link=link,
            **{"level": None, "topic": None, "under": None, **arguments},
        )
    )
    # A blank line would end the raw HTML block in Markdown.
    return ["", *[line for line in text.split("\n") if line.strip()], ""]


def contributing(root: Path, where: Path) -> list[str]:
    """``CONTRIBUTING.md`` below its title, its links as the file ``where`` writes them."""
    file = root / "CONTRIBUTING.md"
    return rebase(file.read_text(encoding="utf-8"), file, where).split("\n")[1:]


def myths(site: Site, docs: Path, where: Path) -> list[str]:
    """Every *Myth* by what people say, with a link to its question, below its topic, with a link to them in full.

    Args:
        site: the questions.
        docs: the folder of the pages.
        where: the file that shows the list.
    """
    lines: list[str] = []
    for level in site.levels:
        for topic in level.topics:
            items = [
                f"- [{topic_pages.as_text(question.title)}]({source_link(question.path, where)}#myth): "
                f'"{rebase(myth.fact, question.path, where)}"'
                for question in topic.questions
                if (myth := question.section("Myth"))
            ]
            if items:
                page = source_link(docs / topic_pages.name(topic_pages.MYTHS, topic), where)
                lines += ["", f"## [{level.label}: {topic.label}]({page})", "", *items, ""]
    return lines
