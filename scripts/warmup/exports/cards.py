"""The cards that flashcards and mock interview show: what a question page says, cut at its sections.

They are made from the pages' finished HTML, so that a card shows what the page shows: the same highlighting, formulas,
outputs and pictures. They come in two files, because code is most of the bytes and is wanted last: ``cards.json`` is
enough to ask and to grade, ``proofs.json`` follows in the background. Both are for this site's own scripts;
``questions.json`` is the one for others.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from warmup import vocabulary
from warmup.content.questions import Question
from warmup.site.links import relative_link, relocated
from warmup.vocabulary import GRADES

if TYPE_CHECKING:
    from warmup.exports import Build

CARDS = "practice/cards.json"
PROOFS = "practice/proofs.json"
# Every page that shows cards stands this deep: their links are relative to it.
PAGE = "practice/flashcards/"

_HEADING = re.compile(r'<h2 id="([a-z-]+)">.*?</h2>', re.S)
_FOLD = re.compile(r"<details\b[^>]*>|</details>")
_SUMMARY = re.compile(r"\s*<summary>(.*?)</summary>(.*)", re.S)
_GRADE = re.compile(r"\s*<strong>\w+</strong>\s*:?\s*(.*)", re.S)
_HEADERLINK = re.compile(r'<a class="headerlink".*?</a>', re.S)
# Anki would run them whenever it shows a card; a browser does not run what is put into a page like this.
_SCRIPT = re.compile(r"<script\b.*?</script\s*>", re.S | re.I)


def sections(content: str) -> dict[str, str]:
    """A page's HTML by the anchor of its H2 headings; what stands before the first is left out."""
    parts = _HEADING.split(content)
    return {anchor: body.strip() for anchor, body in zip(parts[1::2], parts[2::2], strict=True)}


def folds(section: str) -> list[tuple[str, str]]:
    """The outermost folds of a section as (summary, body), both HTML."""
    found, depth, begin = [], 0, 0
    for tag in _FOLD.finditer(section):
        if tag[0].startswith("</"):
            depth -= 1
            if depth == 0 and (match := _SUMMARY.match(section, begin, tag.start())):
                found.append((match[1].strip(), match[2].strip()))
        else:
            if depth == 0:
                begin = tag.end()
            depth += 1
    return found


def ladder(section: str) -> list[str]:
    """*Listening for*: the HTML of Weak, Good and Strong, without these words."""
    items = re.findall(r"<li>(.*?)</li>", section, re.S)
    return [_GRADE.sub(r"\1", re.sub(r"^\s*<p>(.*)</p>\s*$", r"\1", item, flags=re.S)) for item in items]


def _cutter(question: Question, link: Callable[[str], str]) -> Callable[[str], str]:
    """Makes a piece of the question's page fit for the pages that show cards."""
    prefix = question.id.replace("/", "--") + "--"

    def cut(body: str) -> str:
        body = _SCRIPT.sub("", _HEADERLINK.sub("", body))
        # The page's own links are relative to it.
        return relocated(body, prefix, lambda address: link(_resolve(question.url, address))).strip()

    return cut


def card(question: Question, content: str, link: Callable[[str], str]) -> dict:
    """What ``cards.json`` says of one question.

    Args:
        question: the page.
        content: the page's HTML, as its own page shows it.
        link: makes an address below the site's root relative to the pages that show cards.

    Returns:
        ``id``, ``title``, ``short``, ``level``, ``topic``, ``kind`` and ``url`` are plain text, ``minutes`` is a
        number; ``say`` and the three of ``ladder`` (Weak, Good, Strong) are HTML.
    """
    cut, found = _cutter(question, link), sections(content)
    return {
        "id": question.id,
        "title": question.title,
        "short": question.short,
        "level": question.level,
        "topic": f"{question.level}/{question.topic}",
        "kind": question.kind,
        "minutes": question.minutes,
        "url": link(question.url),
        "say": cut(found.get("say-it", "")),
        "ladder": [cut(item) for item in ladder(found.get("listening-for", ""))],
    }


def proof(question: Question, content: str, link: Callable[[str], str]) -> dict:
    """What ``proofs.json`` says of one question, all HTML: ``run`` is *Run it*, ``next`` has the follow-ups."""
    cut, found = _cutter(question, link), sections(content)
    return {
        "run": cut(found.get("run-it", "")),
        "next": [{"question": cut(q), "answer": cut(a)} for q, a in folds(found.get("they-ask-next", ""))],
    }


def files(build: Build) -> dict[str, dict]:
    """The two files by address: cards in the site's order with the words for levels, topics and kinds, and proofs."""
    site, link = build.site, relative_link(PAGE)
    return {
        CARDS: {
            "grades": list(GRADES),
            "kinds": vocabulary.KINDS,
            "levels": {level.slug: level.label for level in site.levels},
            "topics": [
                {"id": topic.id, "level": topic.level, "label": topic.label, "url": link(topic.url)}
                for level in site.levels
                for topic in level.topics
                if topic.questions
            ],
            "cards": list(build.each("card", lambda q: card(q, build.contents[q.id], link)).values()),
        },
        PROOFS: build.each("proof", lambda q: proof(q, build.contents[q.id], link)),
    }


def _resolve(page_url: str, target: str) -> str:
    """An address relative to the page as one below the site's root."""
    path, hash_, anchor = html.unescape(target).partition("#")
    resolved = posixpath.normpath(posixpath.join(page_url, path))
    if path.endswith("/") or not posixpath.splitext(resolved)[1]:
        resolved = resolved.rstrip("/") + "/"
    return html.escape("" if resolved == "./" else resolved) + hash_ + anchor
