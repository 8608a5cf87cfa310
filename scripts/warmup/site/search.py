"""What the search knows of a page: its title, other names for its subject, and what it says, part by part.

``docs/assets/javascripts/search/`` finds in it. One entry a page, so that a result is a page.
"""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from typing import TypedDict

from mkdocs.structure.pages import Page

from warmup import vocabulary
from warmup.kinds import exercises, trainers
from warmup.kinds.drills import Drill
from warmup.kinds.entry import Entry
from warmup.kinds.questions import Question

INDEX = "search/search_index.json"
SAID = "search/said-{}.json"
# So many pages are in a file of texts: about 100 kB, compressed.
_PAGES = 60


class Indexed(TypedDict, total=False):
    """A page in the index, all of it plain text.

    Attributes:
        location: its address below the site's root.
        title: its title.
        place: where it belongs, "Junior · Autograd".
        aliases: what people type who mean it.
        tags: its tags.
        names: what its code calls, unless its text has it too.
        list: it only lists other pages, so they are better results.
        parts: from each heading or fold to the next, as (heading, text).
    """

    location: str
    title: str
    place: str
    aliases: list[str]
    tags: list[str]
    names: str
    list: bool
    parts: list[tuple[str, str]]


_CODE_BLOCK = re.compile(r'<div class="(?:language-\w+ )?highlight">.*?</pre></div>', re.S)
_DRAWN = re.compile(r"<math\b.*?</math>|<svg\b.*?</svg>", re.S)
_TAG = re.compile(r"<[^>]*>")
# What code takes from torch, methods, and keyword arguments of several words.
_NAME = re.compile(r"(?<=\.)[A-Za-z_]\w{2,}|\b\w+_\w+(?==[^=])")
# Of what was printed: an error with its message, which may go on in the next lines, because it is indented below the
# error's name or because the line was full.
_ERROR = re.compile(r"\b\w*(?:Error|Warning)\b")
_FULL_LINE = 60
_FILENAME = re.compile(r'<span class="filename">.*?</span>', re.S)
_WORD = re.compile(r"\w+")
_SKIPPED_TAGS = {"script", "style", "button", "template", "select", "noscript"}
# What is no prose, and what a puzzle keeps back until its reader has decided.
_SKIPPED_CLASSES = {
    "headerlink",
    "tw-output__bar",
    "tw-answer",
    "tw-guesses",
    "tw-diff",
    "tw-puzzle__place",
    "tw-spoiler__warning",
}
_BLOCKS = {"p", "li", "div", "pre", "tr", "dt", "dd", "figcaption", "legend", "h4", "br", "details", "label", "section"}
_EMPTY = {"br", "img", "input", "hr", "wbr", "col", "source", "link", "meta"}
# The bugs of a trainer stay hidden, too; a hundred mistakes and sources are no help to find an exercise.
_LEFT_OUT = re.compile(r"Sources|What was wrong|What people write instead.*")
# Pages made of pieces of other pages, which are found there.
_MADE_OF_OTHERS = ("about/myths/", "practice/predict/")
# These have a script, as a mode of practice has, and list what one can also search for.
_LISTS = tuple(f"{folder}/" for folder in (exercises.FOLDER, trainers.FOLDER))


class _Reader(HTMLParser):
    """Cuts a page at its headings and the names of its folds."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[tuple[list[str], list[str]]] = [([], [])]
        self._open: list[tuple[str, bool]] = []
        self._skipped = 0
        self._in_heading = False
        self._in_output = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _EMPTY:
            classes = (dict(attrs).get("class") or "").split()
            skipped = tag in _SKIPPED_TAGS or not _SKIPPED_CLASSES.isdisjoint(classes)
            self._open.append((tag, skipped))
            self._skipped += skipped
        if self._skipped:
            return
        if tag in ("h1", "h2", "h3", "summary"):
            self.parts.append(([], []))
            self._in_heading = True
        elif tag in _BLOCKS:
            self._write(" ")
        self._in_output = self._in_output or tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if not any(name == tag for name, _ in self._open):
            return
        while self._open:
            name, skipped = self._open.pop()
            self._skipped -= skipped
            if name == tag:
                break
        if tag in ("h1", "h2", "h3", "summary"):
            self._in_heading = False
        elif tag == "pre":
            self._in_output = False
        elif tag in ("td", "th") and not self._skipped:
            self._write(" · ")
        elif tag in _BLOCKS and not self._skipped:
            self._write(" ")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self._write(_errors(data) if self._in_output else data)

    def _write(self, text: str) -> None:
        self.parts[-1][0 if self._in_heading else 1].append(text)


def _errors(printed: str) -> str:
    said: list[str] = []
    message: str | None = None  # its last line; None where no message is open
    indent = 0  # of its first
    for line in printed.splitlines():
        own = len(line) - len(line.lstrip())
        if _ERROR.search(line):
            indent = own
        elif message is None or not line.strip() or own < indent or (own == indent and len(message) < _FULL_LINE):
            message = None
            continue
        message = line
        said.append(line)
    return " ".join(said)


def _plain(pieces: list[str]) -> str:
    return re.sub(r"( ·)+ ?$", "", " ".join("".join(pieces).split()))


def entry(shown: str, page: Page) -> Indexed:
    """What the index takes of a page: prose and outputs, and of its code the names.

    Highlighted code is hundreds of tags a page: to parse them would be half the time of a build.

    Args:
        shown: the page's HTML as its reader gets it.
        page: MkDocs' page; its metadata has been completed.
    """
    known: Entry | None = page.meta.get("question") or page.meta.get("drill")
    reader = _Reader()
    reader.feed(_DRAWN.sub(" ", _CODE_BLOCK.sub(" ", shown)))
    reader.close()
    parts = [(_plain(heading), _plain(text)) for heading, text in reader.parts]
    parts = [(heading, text) for heading, text in parts if (heading or text) and not _LEFT_OUT.fullmatch(heading)]
    if page.url.startswith(_MADE_OF_OTHERS):
        parts = [(heading, text if number == 0 else "") for number, (heading, text) in enumerate(parts)]
    said = " ".join(f"{heading} {text}" for heading, text in parts)
    code = unescape(_TAG.sub("", "\n".join(_CODE_BLOCK.findall(_FILENAME.sub("", shown)))))
    names = set(_NAME.findall(code)) - set(_WORD.findall(said))
    made = Indexed(
        location=page.url,
        title=unescape(str(page.meta.get("title") or page.title or "")),
        place=_place(page.url, known),
        parts=parts,
    )
    if known:
        own = [*(known.meta.get("aliases") or []), known.meta.get("label") or "", known.slug.replace("-", " ")]
        made["aliases"] = [name for name in own if name]
        made["tags"] = list(known.meta.get("tags") or [])
    elif page.meta.get("aliases"):
        made["aliases"] = list(page.meta["aliases"])
    if names:
        made["names"] = " ".join(sorted(names))
    if not known and (page.url in _LISTS or not page.meta.get("module")):
        made["list"] = True
    return made


def _place(url: str, known: Entry | None) -> str:
    if isinstance(known, Question):
        return f"{known.level_label} · {known.topic_label}"
    if isinstance(known, Drill):
        return f"{known.label_of_all} · {known.topic or known.level_label}"
    folders = url.split("/")[:-2]
    return " · ".join(vocabulary.label(folder) for folder in folders)


def files(entries: list[Indexed]) -> dict[str, str]:
    """The files that the search loads, by their names below the site's root.

    The first has what names a page: enough for first results, and small, however long the pages are. The others have
    what pages say, and come while the first results are read. Material's script wants ``config`` there, and hands it on
    to our worker.
    """
    named = [
        Indexed(**{**entry, "parts": [(heading, "") for heading, _ in entry["parts"]], "names": ""})
        for entry in entries
    ]
    parts = [entries[start : start + _PAGES] for start in range(0, len(entries), _PAGES)]
    config = {"lang": ["en"], "separator": r"\s+", "pipeline": [], "said": len(parts)}
    said = [[[entry.get("names", ""), *(text for _, text in entry["parts"])] for entry in part] for part in parts]
    return {
        INDEX: _dump({"config": config, "docs": named}),
        **{SAID.format(number): _dump(part) for number, part in enumerate(said)},
    }


def _dump(data: object) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)
