"""What the interviewer kit prints besides the cards: follow-ups with a short answer, and the tasks of exercises.

The proofs hold the follow-ups too, with everything that is said there: half a megabyte for six questions. These are two
small files, so that all is there before somebody prints.
"""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from warmup.exports import cards
from warmup.exports.build import Build
from warmup.kinds.exercises import Exercise
from warmup.site import marks
from warmup.site.links import SNIPPET_URL, relative_link
from warmup.site.sections import Sections

FILE = "practice/interview-kit.json"
EXERCISES = "practice/interview-kit-exercises.json"

_TOKEN = re.compile(r"<(/?)(\w+)[^>]*?(/?)>|&#?\w+;|[^<&]+")
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.S)
# The end of a sentence, where the next one begins with a capital letter, a number, or code (which reads as X).
_END = re.compile(r"""[.?!]["')]*(?=\s+["'(]?[A-Z0-9]|\s*$)|:(?=\s*$)""")
# A sentence before code or a picture is complete without it, unless it speaks of that: "This helper keeps the types:".
_COLON = re.compile(r":((?:</\w+>)*)$")
_SPEAKS_OF_IT = re.compile(r"\b(?:[Hh]ere|[Tt]his|[Tt]hese)\b|^\s*(?:The s|S)ame\b|^\s*If [^,]*$")
_SHORT_FOR = re.compile(r"\b(?:al|e\.g|i\.e|vs|cf|approx|no)\.$")
_LINK = re.compile(r"</?a\b[^>]*>")
# A sentence that begins with a link leads to another page, but for one that begins with a name of torch's.
_LEADS_AWAY = re.compile(r"\s*<a\b[^>]*>(?!<code\b)")
# "See there" at the end of a sentence, which paper cannot follow.
_SEE = re.compile(
    r"(?:[,:;]\s+(?:see|as\s+in)\s+(?:the\s+)?<a\b[^>]*>(?:(?!</a>).)*</a>(?=[.:;])"
    r"|\s+\((?:see\s+)?(?:an?\s+|the\s+)?<a\b[^>]*>(?:(?!</a>).)*</a>\))",
    re.S,
)
# What a sentence needs at least to say something: "Four." and "It depends." take the next one with them.
FEW_WORDS = 12
# A line of fewer says nothing: "Not necessarily."
LEAST_WORDS = 5
# The next sentence often holds the answer ("There is no flag for a row. Write it back."), so it comes along up to this
# length: two lines on paper.
MOST_WORDS = 36
# Below this the first sentence often answers only half of the question ("cat has memory of its own", and not how to
# avoid that), so one more comes along even if it makes three or four lines.
HALF_WORDS = 22
MOST_WORDS_OF_TWO = 56
# What cannot be read without the page; a sentence that begins with a link leads to another one.
_POINTS = re.compile(
    r"\babove[,.:;)]|\b(?:bias|function|grid|module|picture|plot|program|run|table|X+)\s+above\b|\bthe\s+program\s+for\b"
    r"|\b(?:this|next)\s+(?:page|program)\b|\bpage of its own\b|\bhas a page\b|\bMore in\b"
    r"|\b(?:two|three) (?:checks|limits)\b"
    r"|\b(?:function|line|program|table)\s+below\b|\b[Tt]he\s+training\s+program\b|\bIn\s+the\s+run\b|\brow\s+of\s+the\s+table\b"
)
# What a page has room for at most.
FOLLOW_UPS = 4
MISTAKES = 6


def one_line(answer: str) -> str:
    """The first sentences of an answer, as many as say something and fit into a few lines, as HTML without links.

    Args:
        answer: HTML, as a follow-up's fold holds it.

    Returns:
        "" where it does not begin with a sentence that is complete without what follows, such as a table.
    """
    paragraph = _PARAGRAPH.match(answer.strip())
    return _LINK.sub("", _sentences(_SEE.sub("", paragraph[1].strip()))) if paragraph else ""


def _sentences(paragraph: str) -> str:
    """The first sentences of a paragraph's HTML that say something; "" where the first leads to what follows it."""
    plain, places = _flat(paragraph)
    taken = 0
    for end in _END.finditer(plain):
        text = plain[: end.end()]
        if text.count('"') % 2 or text.count("(") != text.count(")") or _SHORT_FOR.search(text):
            continue
        words = len(plain[:taken].split())
        most = MOST_WORDS if words > HALF_WORDS else MOST_WORDS_OF_TWO
        if words >= FEW_WORDS and (len(text.split()) > most or _LEADS_AWAY.match(paragraph[places[taken] :])):
            break
        if taken and _POINTS.search(plain[taken : end.end()]):
            break
        if end[0] == ":" and (not taken or _SPEAKS_OF_IT.search(plain[taken:])):
            break
        taken = end.end()
    return _COLON.sub(r".\1", _closed(paragraph[: places[taken]])) if len(plain[:taken].split()) >= LEAST_WORDS else ""


def _flat(paragraph: str) -> tuple[str, list[int]]:
    """The text, with X for what is code or a formula, and for each place in it the one in the HTML."""
    plain: list[str] = []
    places: list[int] = [0]
    within = 0
    for token in _TOKEN.finditer(paragraph):
        closing, name, empty = token[1], token[2], token[3]
        if name:
            if name in ("code", "math") and not empty:
                within += -1 if closing else 1
            if closing and places:  # a mark at the end of emphasized words belongs to them
                places[-1] = token.end()
            continue
        entity = token[0].startswith("&")
        for offset, letter in enumerate([html.unescape(token[0])] if entity else token[0]):
            plain.append("X" if within else letter[:1])
            places.append(token.end() if entity else token.start() + offset + 1)
    return "".join(plain), places


def _closed(piece: str) -> str:
    """HTML with its open elements closed."""
    still: list[str] = []
    for token in _TOKEN.finditer(piece):
        if token[2] and not token[3]:
            if not token[1]:
                still.append(token[2])
            elif still and still[-1] == token[2]:
                still.pop()
    return piece + "".join(f"</{name}>" for name in reversed(still))


def signature(code: str) -> str:
    """The definitions of a starter, without docstrings and bodies."""
    return "\n".join(_definitions(ast.parse(code).body, ""))


def _definitions(body: list[ast.stmt], indent: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            bases = ", ".join(map(ast.unparse, node.bases))
            yield f"{indent}class {node.name}{f'({bases})' if bases else ''}:"
            yield from _definitions(node.body, indent + "    ")
        elif isinstance(node, ast.AnnAssign) and indent:
            yield indent + ast.unparse(node)
        elif isinstance(node, ast.FunctionDef):
            returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            yield f"{indent}def {node.name}({ast.unparse(node.args)}){returns}"


def task(sections: Sections) -> str:
    """The paragraphs of an exercise's *Task*, as HTML without links; the code has a place of its own."""
    text = marks.bare(marks.without("box", sections.task))
    return "".join(f"<p>{_LINK.sub('', paragraph[1])}</p>" for paragraph in _PARAGRAPH.finditer(text))


def follow_ups(proof: dict) -> list[dict]:
    """The first follow-ups of a page's proof that stand alone and have a short answer, both as HTML."""
    asked_first = sorted(proof["next"], key=lambda one: not one.get("first"))
    lines = ((one["question"], one_line(one["answer"])) for one in asked_first if not one.get("here"))
    return [{"question": asked, "answer": line} for asked, line in lines if line][:FOLLOW_UPS]


def exercise(page: Exercise, sections: Sections, snippets: Path, link: Callable[[str], str]) -> dict:
    """What an interviewer needs for an exercise, besides its card and follow-ups.

    Args:
        page: the exercise.
        sections: what its page shows.
        snippets: the folder of the programs.
        link: makes an address below the site's root relative to the page of the kit.

    Returns:
        ``task`` and ``core`` are HTML; ``starter`` is code and ``signature`` its definitions; ``files`` has the
        addresses of starter and judge; ``mistakes`` says of each wrong solution why it is wrong, in plain text.
    """
    starter = (snippets / page.start).read_text(encoding="utf-8")
    return {
        "task": task(sections),
        "starter": starter.strip(),
        "signature": signature(starter),
        "core": cards.core(page),
        "files": [link(SNIPPET_URL + name) for name in (page.start, page.judge)],
        "mistakes": [mistake.why for mistake in page.mistakes(snippets)][:MISTAKES],
    }


def files(build: Build, proofs: Mapping[str, dict]) -> dict[str, dict]:
    """What the kit loads besides the cards, by address.

    Args:
        build: a build of the site whose pages are done.
        proofs: the files of ``cards.files``, by address.

    Returns:
        One file has the follow-ups of each question and exercise by its id. The other has what else an exercise has,
        and is loaded only where one is chosen.
    """
    link, snippets = relative_link(cards.PAGE), build.renderer.root / "snippets"
    found = {name: proof for url, file in proofs.items() if url != cards.CARDS for name, proof in file.items()}
    pages = (page for page in (*build.questions, *build.exercises) if page.id in found)
    return {
        FILE: {page.id: build.remembered("kit", page, lambda page: follow_ups(found[page.id])) for page in pages},
        EXERCISES: {page.id: exercise(page, build.contents[page.id], snippets, link) for page in build.exercises},
    }
