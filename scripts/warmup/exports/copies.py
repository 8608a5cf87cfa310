"""The site for programs: a Markdown copy of each page, ``llms.txt`` to find the copies, and ``questions.json``.

The copies are plain CommonMark made from the pages' sources: code and outputs stand in fences of their own, folds are
unfolded, formulas stand between dollars, and links lead on to other copies. Addresses are absolute where the site's
address is known, else relative.
"""

from __future__ import annotations

import json
import posixpath
import re
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warmup import vocabulary
from warmup.content import markdown
from warmup.content.page import Page
from warmup.content.questions import Question
from warmup.project import ProblemError
from warmup.site.expand import SNIPPET_URL, Renderer
from warmup.site.links import relative_link
from warmup.vocabulary import GRADES

if TYPE_CHECKING:
    from warmup.exports import Build

LLMS = "llms.txt"
QUESTIONS = "questions.json"
SCHEMA = "questions.schema.json"
LICENSES = {"code": "MIT", "prose": "CC-BY-4.0"}
# llms.txt says whole sentences about a question, until there are this many characters.
NOTE = 80
_ABOUT = "about"

_BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<info>[^`\n]*)\n(?P<code>(?:.*\n)*?)(?P=fence) *\n"
    r'|^\?\?\?\+? \w+ "(?P<title>.+)"\n(?P<folded>(?: {4}.*\n|[ \t]*\n)*)',
    re.M,
)
_INLINE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|\\\((?P<formula>.+?)\\\)"
    r"|^(?P<indent> *)\\\[(?P<display>.+?)\\\](?= *$)"
    r"|!\[(?P<alt>[^\]]*)\]\((?P<image>[^)\s]+)\)"
    r"|\]\((?![a-z]+:)(?P<target>[^)\s]+)\)",
    re.M | re.S,
)
_BULLET = re.compile(r"^[-*] \*\*(\w+)\*\*:?\s*", re.M)


def copy_of(source: str) -> str:
    """Address of a page's Markdown copy.

    Args:
        source: the page's file below ``docs/``.

    Returns:
        The page's address with ``.md`` for the last slash. Empty for a page without a copy: the lists of questions,
        which ``llms.txt`` is, the notebooks, which can be downloaded, and the pages that are tools.
    """
    folder = posixpath.dirname(source)
    if not source.endswith(".md") or (folder != _ABOUT and folder.partition("/")[0] not in vocabulary.LEVELS):
        return ""
    return re.sub(r"/index\.md$", ".md", source)


@dataclass(frozen=True)
class Writer:
    """Makes plain Markdown of what stands in one source file.

    Attributes:
        renderer: resolves includes.
        source: the file below ``docs/``.
        link: makes an address below the site's root fit for where the Markdown will stand.
    """

    renderer: Renderer
    source: str
    link: Callable[[str], str]

    def plain(self, text: str, fold: str = "**{}**") -> str:
        """A part of the source as plain Markdown.

        Args:
            text: the part.
            fold: how the question of an outermost fold is written.

        Raises:
            ProblemError: an include or a marker cannot be resolved.
        """
        expanded = self.renderer.expand(text, "", self.renderer.root / "docs" / self.source)
        return "".join(self._blocks(expanded + "\n", fold)).strip()

    def _blocks(self, text: str, fold: str) -> Iterator[str]:
        end = 0
        for block in _BLOCK.finditer(text):
            yield self._prose(text[end : block.start()])
            if block["fence"]:
                yield self._fence(block)
            else:
                body = "".join(self._blocks(textwrap.dedent(block["folded"]), "**{}**"))
                yield f"{fold.format(self._prose(block['title']))}\n\n{body.strip()}\n\n"
            end = block.end()
        yield self._prose(text[end:])

    def _prose(self, text: str) -> str:
        return _INLINE.sub(self._inline, re.sub(r"\n{3,}", "\n\n", text))

    def _fence(self, block: re.Match) -> str:
        language, _, rest = block["info"].strip().partition(" ")
        options = dict(re.findall(r'(\w+)="([^"]*)"', rest))
        before = after = ""
        if language == "output" and "file" in options:
            language = "text"
            found = self.renderer.output(self.renderer.snippets / options["file"])
            if found is None:
                return "Output: not recorded yet. It needs hardware that no run of ours has had so far.\n"
            before = f"Output ({found.recorded}):\n\n"
            after = "".join(f"\nWith {name}:\n\n```text\n{lines}\n```\n" for name, lines in found.others.items())
        elif file := options.get("title"):
            before = f"[{file}]({self.link(options['download'])}):\n\n" if "download" in options else f"`{file}`:\n\n"
        return f"{before}{block['fence']}{language}\n{block['code']}{block['fence']}\n{after}"

    def _inline(self, match: re.Match) -> str:
        if match["formula"]:
            return f"${match['formula']}$"
        if match["display"]:
            return f"{match['indent']}$${match['display']}$$"
        if match["image"]:
            return f"[Diagram: {match['alt']}]({self._target(match['image'])})"
        if match["target"]:
            return f"]({self._target(match['target'])})"
        return match[0]

    def _target(self, link: str) -> str:
        path, hash_, anchor = link.partition("#")
        found = posixpath.normpath(posixpath.join(posixpath.dirname(self.source), path)) if path else self.source
        return self.link(_address(found) + hash_ + anchor)


def write(build: Build) -> None:
    """Write the Markdown copies, ``llms.txt`` and ``questions.json``."""
    made = build.each("record", lambda question: _write_question(build, question))
    records, about = [record for record in made.values() if record], []
    for source in _others(build.renderer.root / "docs"):
        try:
            page = Page.read(build.renderer.root / "docs" / source)
            build.write(copy_of(source), _page(build, page, source))
        except ProblemError:
            continue
        if source.startswith(f"{_ABOUT}/"):
            about.append((page.title, copy_of(source)))
    build.write(LLMS, _llms(build, records, about))
    link = _linker(build, "")
    build.write(
        QUESTIONS,
        json.dumps(
            {
                "$schema": link(SCHEMA),
                "version": 1,
                "name": build.name,
                "torch": build.renderer.figures.torch,
                "licenses": LICENSES,
                "questions": records,
            },
            ensure_ascii=False,
            indent=1,
        )
        + "\n",
    )


def _write_question(build: Build, question: Question) -> dict | None:
    """Write a question's copy; its record for ``questions.json``, or None where its page could not be built."""
    try:
        build.write(copy_of(f"{question.id}.md"), _question(build, question))
        return _record(build, question)
    except ProblemError:
        return None  # reported where its page was built


def _others(docs: Path) -> list[str]:
    """The pages with a copy that are no questions: indexes of levels and topics, and the pages about the site."""
    indexes = [path for level in vocabulary.LEVELS for path in sorted((docs / level).glob("**/index.md"))]
    return [path.relative_to(docs).as_posix() for path in [*indexes, *sorted((docs / _ABOUT).glob("*.md"))]]


def _linker(build: Build, file: str) -> Callable[[str], str]:
    """Makes addresses below the site's root absolute, or relative to ``file`` where the site's address is not known."""
    if build.site_url:
        return lambda url: build.site_url + url
    return relative_link(posixpath.dirname(file))


def _address(source: str) -> str:
    """Where a link to a file below ``docs/`` leads: to its copy, else to its page, else to the file."""
    if copy := copy_of(source):
        return copy
    stem, ending = posixpath.splitext(source)
    return re.sub(r"(^|/)index/$", r"\1", f"{stem}/") if ending in (".md", ".ipynb") else source


def _literal(text: str) -> str:
    """Plain text so that Markdown takes nothing in it for markup."""
    return re.sub(r"[\\`*<\[\]]|(?<!\w)_|_(?!\w)", r"\\\g<0>", text)


def _question(build: Build, question: Question) -> str:
    copy = copy_of(f"{question.id}.md")
    link = _linker(build, copy)
    writer = Writer(build.renderer, f"{question.id}.md", link)
    about = [question.level_label, question.topic_label, question.kind_label, f"{question.minutes} min aloud"]
    about += [f"Needs: {need}" for need in question.needs]
    parts = [f"# {_literal(question.title)}", " · ".join(about), f"[Read it on {build.name}]({link(question.url)})"]
    for section in question.sections:
        fold = "### {}" if section.title == "They ask next" else "**{}**"
        parts += [f"## {section.title}", writer.plain(section.text, fold)]
    if question.related:
        others = [f"- [{_literal(other.title)}]({link(copy_of(f'{other.id}.md'))})" for other in question.related]
        parts += ["## Related", "\n".join(others)]
    parts.append(f"---\n\n{build.name}. Code: MIT. Prose: CC BY 4.0.")
    return "\n\n".join(parts) + "\n"


def _page(build: Build, page: Page, source: str) -> str:
    writer = Writer(build.renderer, source, _linker(build, copy_of(source)))
    lines = [_derived(build, line, source) for line in page.lines]
    body = writer.plain("\n".join(lines))
    return f"# {_literal(page.title)}\n\n{body}\n"


def _derived(build: Build, line: markdown.Line, source: str) -> str:
    """A marker whose fragment is HTML as Markdown, with links between sources; any other line as it is."""
    marker = line.marker
    if not marker:
        return line.text
    folder = posixpath.dirname(source)
    if marker["name"] in ("data", "figures"):
        fragment = build.renderer.expand(line.text, folder, build.renderer.root)
        fragment = re.sub(r'<a href="(.*?)">(.*?)</a>', r"[\2](\1)", fragment)
        rows = re.findall(r"<t[hd].*?>(.*?)</t[hd]><td>(.*?)</td>", fragment)
        return "\n".join(f"- {name}: {value}" for name, value in rows)
    if marker["name"] == "questions":
        arguments = dict(argument.split("=") for argument in marker["arguments"].split())
        return "\n".join(_list(build, folder, **arguments))
    return "" if marker["name"] == "topics" else line.text  # the list of questions names them again


def _list(build: Build, folder: str, level: str, topic: str = "") -> Iterator[str]:
    for group in (group for one in build.site.levels if one.slug == level for group in one.topics):
        if topic in ("", group.slug) and group.questions:
            if not topic:
                yield f"\n## [{group.label}]({posixpath.relpath(group.url, folder)}/index.md)\n"
            for question in group.questions:
                yield (
                    f"- [{_literal(question.title)}]({posixpath.relpath(question.id, folder)}.md): "
                    f"{question.kind_label}, {question.minutes} min"
                )


def _llms(build: Build, records: list[dict], about: list[tuple[str, str]]) -> str:
    """The index in the form of llmstxt.org: what the site is, then its Markdown copies, sorted into sections.

    Args:
        build: the build.
        records: what ``questions.json`` says of the questions.
        about: titles and addresses of the copies that can be left unread.
    """
    link = _linker(build, LLMS)
    notes = {record["id"]: _first_sentences(record["say_it"]) for record in records}

    def item(title: str, url: str, note: str = "") -> str:
        return f"- [{_literal(title)}]({link(url)})" + (f": {note}" if note else "")

    lines = [
        f"# {build.name}",
        "",
        f"> {build.summary}",
        "",
        f"{build.renderer.figures.questions} questions by level, in each level by topic, in the order in which to read "
        "them. Each has an answer to say aloud, the program that proves it with what a run printed, follow-ups with "
        "their answers, and what a weak, a good and a strong answer sound like. "
        f"Outputs are compared with torch {build.renderer.figures.torch}. Code: MIT. Prose: CC BY 4.0.",
        "",
        "## Data",
        "",
        item(QUESTIONS, QUESTIONS, "all questions with answers, follow-ups, code and outputs, in one file"),
        item(SCHEMA, SCHEMA, "its JSON Schema"),
    ]
    for level in build.site.levels:
        lines += [
            "",
            f"## {level.label}",
            "",
            item(level.label, copy_of(f"{level.slug}/index.md"), "what the level asks, and all of its questions"),
        ]
        lines += [
            item(topic.label, copy_of(f"{topic.url}index.md"), f"topic, {len(topic.questions)} of the questions")
            for topic in level.topics
        ]
        for topic in level.topics:
            lines += ["", f"## {level.label}: {topic.label}", ""]
            lines += [
                item(question.title, copy_of(f"{question.id}.md"), notes.get(question.id, ""))
                for question in topic.questions
            ]
    lines += ["", "## Optional", "", *(item(title, url) for title, url in about)]
    return "\n".join(lines) + "\n"


def _first_sentences(text: str) -> str:
    note = ""
    for sentence in re.split(r"(?<=[.?!]) ", " ".join(text.split())):
        note = f"{note} {sentence}".strip()
        if len(note) >= NOTE:
            break
    return note


def _record(build: Build, question: Question) -> dict:
    """What ``questions.json`` says of one question; the schema describes it."""
    link = _linker(build, QUESTIONS)
    source = f"{question.id}.md"
    writer = Writer(build.renderer, source, link)
    text = defaultdict(str, {section.title: section.text + "\n" for section in question.sections})
    grades = _BULLET.split(text["Listening for"])[1:]
    return {
        "id": question.id,
        "title": question.title,
        "level": question.level,
        "topic": question.topic,
        "kind": question.kind,
        "minutes": question.minutes,
        "tags": question.tags,
        "needs": [need for need, label in vocabulary.NEEDS.items() if label in question.needs],
        "url": link(question.url),
        "markdown": link(copy_of(source)),
        "related": [other.id for other in question.related],
        "say_it": writer.plain(text["Say it"]),
        "follow_ups": [
            {"question": writer.plain(fold["title"]), "answer": writer.plain(textwrap.dedent(fold["folded"]))}
            for fold in _BLOCK.finditer(text["They ask next"])
            if fold["title"]
        ],
        "listening_for": {
            grade.lower(): re.sub(r"\n\s*", "\n", writer.plain(answer))
            for grade, answer in zip(grades[::2], grades[1::2], strict=True)
            if grade in GRADES
        },
        "snippets": [_snippet(build, name, link) for name in question.snippets],
    }


def _snippet(build: Build, name: str, link: Callable[[str], str]) -> dict:
    path = build.renderer.snippets / name
    output = build.renderer.output(path.with_suffix(".out"))
    return {
        "path": name,
        "url": link(SNIPPET_URL + name),
        "code": path.read_text(encoding="utf-8"),
        "output": output and output.text,
        "recorded": output and output.recorded,
    }
