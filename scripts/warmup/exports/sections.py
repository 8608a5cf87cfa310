"""A question's finished HTML cut into the parts that cards and deck show: the only place that looks for them in HTML.

Regular expressions do it, since a parser that keeps the HTML as it is costs seconds at three hundred pages. What they
find is compared with what was read from the page's Markdown.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass

from warmup.content.coding import Coding
from warmup.content.questions import Question
from warmup.project import Problem, relative
from warmup.site.links import relocated, resolve

# MkDocs counts what is logged below its own name: with --strict, a warning fails the build.
log = logging.getLogger("mkdocs.hooks.warmup")

_HEADING = re.compile(r'<h2 id="([a-z-]+)">.*?</h2>', re.S)
_FOLD = re.compile(r"<details\b[^>]*>|</details>")
_FOLLOW_UP = re.compile(r'<details class="question(?: here)?"')
_SUMMARY = re.compile(r"\s*<summary>(.*?)</summary>(.*)", re.S)
_GRADE = re.compile(r"<li>\s*(<p>)?<strong>(\w+)</strong>\s*:?\s*")
_LIST_END = re.compile(r"\s*</li>\s*\Z")
_HEADERLINK = re.compile(r'<a class="headerlink".*?</a>', re.S)
_DOWNLOAD = re.compile(r'<a class="tw-download".*?</a>', re.S)
# Anki would run them whenever it shows a card; a browser does not run what is put into a page like this.
_SCRIPT = re.compile(r"<script\b.*?</script\s*>", re.S | re.I)


@dataclass(frozen=True)
class Sections:
    """What cards show of a question, all HTML.

    Attributes:
        say: *Say it*.
        run: *Run it*; of an exercise, *Solution*.
        follow_ups: *They ask next* as (question, answer).
        ladder: *Listening for* as (grade, what it sounds like), the grade being plain text.
    """

    say: str
    run: str
    follow_ups: list[tuple[str, str]]
    ladder: list[tuple[str, str]]

    @classmethod
    def of(cls, question: Question | Coding, content: str) -> Sections:
        """Cut a question's HTML, and warn where it is not what the question's Markdown says.

        Args:
            question: the page.
            content: its HTML, as its own page shows it.
        """
        parts = _HEADING.split(_SCRIPT.sub("", without_headerlinks(content)))
        found = {anchor: body.strip() for anchor, body in zip(parts[1::2], parts[2::2], strict=True)}
        cut = cls(
            found.get("say-it", ""),
            found.get("run-it") or found.get("solution", ""),
            _follow_ups(found.get("they-ask-next", "")),
            _ladder(found.get("listening-for", "")),
        )
        for title, written, shown in (
            ("They ask next", len(question.follow_ups), len(cut.follow_ups)),
            ("Listening for", [name for name, _ in question.grades], [name for name, _ in cut.ladder]),
        ):
            if written != shown:
                section = question.section(title)
                message = f"{title} has {written} in Markdown, but {shown} as HTML: cards would lose some."
                fix = "Begin each fold and each bullet at the left margin, between blank lines."
                log.warning("%s", Problem(relative(question.path), section.line if section else 0, message, fix))
        return cut

    def each(self, change: Callable[[str], str]) -> Sections:
        """The same with every piece of HTML changed."""
        return Sections(
            change(self.say),
            change(self.run),
            [(change(asked), change(answer)) for asked, answer in self.follow_ups],
            [(grade, change(text)) for grade, text in self.ladder],
        )

    def placed(self, question: Question | Coding, link: Callable[[str], str]) -> Sections:
        """The same for a document that shows other questions too.

        Args:
            question: the page that it was cut from.
            link: makes an address below the site's root fit for that document.
        """
        prefix = question.id.replace("/", "--") + "--"
        return self.each(
            lambda html: relocated(html, prefix, lambda address: link(resolve(question.url, address))).strip()
        )


def without_headerlinks(content: str) -> str:
    """HTML without the links that headings have to themselves."""
    return _HEADERLINK.sub("", content)


def without_downloads(content: str) -> str:
    """HTML without the links to snippets' files, which lead nowhere from paper and from Anki."""
    return _DOWNLOAD.sub("", content)


def _follow_ups(section: str) -> list[tuple[str, str]]:
    """The outermost folds as (summary, body)."""
    found, depth, begin = [], 0, None
    for tag in _FOLD.finditer(section):
        if tag[0].startswith("</"):
            depth -= 1
            if depth == 0 and begin is not None and (match := _SUMMARY.match(section, begin, tag.start())):
                found.append((match[1].strip(), match[2].strip()))
        else:
            if depth == 0:
                begin = tag.end() if _FOLLOW_UP.match(tag[0]) else None
            depth += 1
    return found


def _ladder(section: str) -> list[tuple[str, str]]:
    """The bullets that begin with a word in bold as (word, text)."""
    parts = _GRADE.split(section.rpartition("</ul>")[0])[1:]
    return [
        (name, _LIST_END.sub("", text.replace("</p>", "", 1) if paragraph else text).strip())
        for paragraph, name, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    ]
