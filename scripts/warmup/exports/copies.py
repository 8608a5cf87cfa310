"""A Markdown copy of each page, beside it: what a program reads instead of HTML."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from warmup import vocabulary
from warmup.content import markdown, navigation
from warmup.content.coding import Coding
from warmup.content.page import Page
from warmup.content.questions import Question
from warmup.exports.build import Build
from warmup.exports.plain_markdown import ABOUT, Writer, copy_of, literal
from warmup.project import ProblemError
from warmup.site.links import source_link


def write(build: Build) -> None:
    """Write the copies of all pages that could be built."""
    for question in build.questions:
        of(build, question)
    for page in (*build.exercises, *build.trainers):
        build.remembered("copy", page, lambda page: _write_coding(build, page))
    for source, other in _pages(build):
        try:
            build.write(copy_of(source), _page(build, other, source))
        except ProblemError:
            continue  # reported where the page was built


def of(build: Build, question: Question) -> str:
    """A question's copy, which is written by the way; empty where the question's page could not be built."""
    return build.remembered("copy", question, lambda question: _write_question(build, question))


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


def _write_question(build: Build, question: Question) -> str:
    expanded = build.expanded(question)
    if expanded is None:
        return ""
    text = _question(build, question, expanded)
    build.write(copy_of(f"{question.id}.md"), text)
    return text


def _question(build: Build, question: Question, expanded: Question) -> str:
    copy = copy_of(f"{question.id}.md")
    link = build.link(posixpath.dirname(copy))
    writer = Writer(build.renderer, f"{question.id}.md", link, question.url)
    labels = [question.level_label, question.topic_label, question.kind_label, f"{question.minutes} min aloud"]
    labels += [f"Needs: {need}" for need in question.needs]
    others = [
        *(f"- {page.invitation}: {_link(page, link)}" for page in question.practice if isinstance(page, Coding)),
        *(f"- {_link(other, link)}" for other in question.related),
    ]
    return _text(build, expanded, labels, writer, others)


def _write_coding(build: Build, page: Coding) -> str:
    """The copy of an exercise or a trainer."""
    expanded = build.expanded(page)
    if expanded is None:
        return ""
    copy = copy_of(f"{page.id}.md")
    link = build.link(posixpath.dirname(copy))
    labels = [page.level_label, *dict.fromkeys((page.label_of_all, page.topic)), f"{page.minutes} min"]
    writer = Writer(build.renderer, f"{page.id}.md", link, page.url)
    text = _text(build, expanded, labels, writer, [f"- {_link(other, link)}" for other in page.related])
    build.write(copy, text)
    return text


def _text(build: Build, expanded: Question | Coding, labels: list[str], writer: Writer, related: list[str]) -> str:
    """What a copy says.

    Args:
        build: the build.
        expanded: the page with nothing left to resolve.
        labels: the line below the title.
        writer: makes plain Markdown of the page.
        related: the links at its end.
    """
    where = writer.link(expanded.url)
    parts = [f"# {literal(expanded.title)}", " · ".join(labels), f"[Read it on {build.name}]({where})"]
    for section in expanded.sections:
        fold = "### {}" if section.title == "They ask next" else "**{}**"
        parts += [f"## {section.title}", writer.plain(section.lines, fold)]
    if related:
        parts += ["## Related", "\n".join(related)]
    parts.append(f"---\n\n{build.name}. {vocabulary.LICENSES}")
    return "\n\n".join(parts) + "\n"


def _link(page: Question | Coding, link: Callable[[str], str]) -> str:
    return f"[{literal(page.title)}]({link(copy_of(f'{page.id}.md'))})"


def _page(build: Build, page: Page, source: str) -> str:
    writer = Writer(build.renderer, source, build.link(posixpath.dirname(copy_of(source))))
    lines = [_derived(build, line, page.path, source) for line in page.lines]
    body = writer.plain(markdown.lines(build.renderer.expand("\n".join(lines), "", page.path)))
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


def _practice(groups: Mapping[str, Sequence[Coding]], path: Path) -> Iterator[str]:
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
