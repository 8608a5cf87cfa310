"""A Markdown copy of each page, beside it: what a program reads instead of HTML."""

from __future__ import annotations

import contextlib
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from warmup import licenses, vocabulary
from warmup.content import markdown
from warmup.content.page import Page, Section
from warmup.exports.build import Build, Known
from warmup.exports.plain_markdown import ABOUT, Writer, copy_of, literal
from warmup.kinds import navigation
from warmup.kinds.drills import Drill
from warmup.kinds.entry import Entry
from warmup.kinds.questions import Question
from warmup.project import ProblemError
from warmup.site.links import source_link


def write(build: Build) -> None:
    """Write the copies of all pages that could be built."""
    pages: list[Entry] = [*build.questions, *build.exercises, *build.trainers]
    for page in pages:
        build.remembered("copy", page, lambda page: build.write(copy_of(f"{page.id}.md"), _known(build, page)))
    for source, other in _pages(build):
        with contextlib.suppress(ProblemError):  # reported where the page was built
            build.write(copy_of(source), _page(build, other, source))


def about(build: Build) -> list[tuple[str, Page]]:
    """The pages about the site that have a copy, by their files below ``docs/``."""
    return [(source, page) for source, page in _pages(build) if source.startswith(f"{ABOUT}/")]


def _pages(build: Build) -> Iterator[tuple[str, Page]]:
    """The pages with a copy that say something of others: indexes of all kinds, and the pages about the site."""
    docs = build.renderer.root / "docs"
    indexes = [path for level in vocabulary.LEVELS for path in sorted((docs / level).glob("**/index.md"))]
    indexes += [level.sheet.path for level in build.site.levels if level.sheet]
    indexes += [docs / folder / "index.md" for folder in navigation.PRACTICE if (docs / folder / "index.md").exists()]
    for path in (*indexes, *sorted((docs / ABOUT).rglob("*.md"))):
        try:
            yield path.relative_to(docs).as_posix(), Page.read(path)
        except ProblemError:
            continue  # reported where the page was built


def ends(build: Build, page: Entry, writer: Writer) -> list[str]:
    """What a copy says below the page's sections, in paragraphs: related pages and the license."""
    practice = page.practice if isinstance(page, Question) else []
    related = [f"- {other.invitation}: {_link(other, writer)}" for other in practice if isinstance(other, Drill)]
    related += [f"- {_link(other, writer)}" for other in page.related]
    last = f"---\n\n{build.name}. {licenses.LINE}"
    return ["## Related", "\n".join(related), last] if related else [last]


def heading(section: Section) -> str:
    """A section's heading as the page's author wrote it."""
    return f"{section.title}: {section.fact}" if section.fact else section.title


def fold_of(section: Section) -> str:
    """How a copy writes the question of a fold in a section: what is asked next can be linked to."""
    return "### {}" if section.title == "They ask next" else "**{}**"


def _known(build: Build, page: Known) -> str:
    """The copy of a question, an exercise or a trainer."""
    link = build.link(posixpath.dirname(copy_of(f"{page.id}.md")))
    writer = Writer(build.renderer, f"{page.id}.md", link)
    parts = [f"# {literal(page.title)}", " · ".join(page.labels), f"[Read it on {build.name}]({link(page.url)})"]
    for section in build.written(page).sections:
        parts += [f"## {heading(section)}", writer.plain(section.lines, fold_of(section))]
    return "\n\n".join([*parts, *ends(build, page, writer)]) + "\n"


def _link(page: Entry, writer: Writer) -> str:
    return f"[{literal(page.title)}]({writer.link(writer.address(f'{page.id}.md'))})"


def _page(build: Build, page: Page, source: str) -> str:
    writer = Writer(build.renderer, source, build.link(posixpath.dirname(copy_of(source))))
    lines = [_derived(build, line, page.path, source) for line in page.lines]
    body = writer.plain(markdown.lines(build.renderer.without_markers("\n".join(lines), "", page.path)))
    return f"# {literal(page.title)}\n\n{body}\n"


def _derived(build: Build, line: markdown.Line, path: Path, source: str) -> str:
    """A marker whose fragment is HTML as Markdown, with links between sources; any other line as it is."""
    marker = line.marker
    if not marker:
        return line.text
    if marker["name"] in ("data", "figures"):
        fragment = build.renderer.expand(line.text, posixpath.dirname(source), path)
        fragment = re.sub(r'<a href="(.*?)">(.*?)</a>', r"[\2](\1)", fragment)
        rows = re.findall(r"<t[hd].*?>(.*?)</t[hd]><td>(.*?)</td>", fragment)
        return "\n".join(f"- {name}: {value}" for name, value in rows)
    if marker["name"] == "questions":
        arguments = dict(argument.split("=") for argument in marker["arguments"].split())
        return "\n".join(_list(build, path, **arguments))
    if marker["name"] in ("exercises", "trainers"):
        groups = build.site.exercises_by_topic if marker["name"] == "exercises" else build.site.trainers_by_level
        return "\n".join(_practice(groups, path))
    return "" if marker["name"] == "topics" else line.text  # the list of questions names them again


def _practice(groups: Mapping[str, Sequence[Drill]], path: Path) -> Iterator[str]:
    for name, pages in groups.items():
        yield f"\n## {name}\n"
        for page in pages:
            link = source_link(page.path, path)
            yield f"- [{literal(page.title)}]({link}): {page.level_label}, {page.minutes} min"


def _list(build: Build, path: Path, level: str, topic: str = "") -> Iterator[str]:
    for group in (group for one in build.site.levels if one.slug == level for group in one.topics):
        if topic in ("", group.slug) and group.questions:
            if not topic:
                yield f"\n## [{group.label}]({source_link(group.index.path, path)})\n"
            for question in group.questions:
                yield (
                    f"- [{literal(question.title)}]({source_link(question.path, path)}): "
                    f"{question.kind_label}, {question.minutes} min"
                )
