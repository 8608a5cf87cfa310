"""What the interviewer kit has besides the cards: follow-ups for a sheet of paper, exercises, and all as Markdown.

The proofs hold the follow-ups too, with everything that is said there: half a megabyte for six questions. Each level
has files of its own, since a set is of one or two: one for what is chosen, so that it is there before somebody prints,
one for exercises, where one is chosen, and the Markdown for who takes it along.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from warmup.exports import cards, data
from warmup.exports.build import Build
from warmup.kinds.exercises import Exercise
from warmup.site import marks
from warmup.site.links import SNIPPET_URL, relative_link
from warmup.site.sections import Sections

_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.S)
_LINK = re.compile(r"</?a\b[^>]*>")
# "See there" at the end of a sentence, or as all of the last one: paper cannot follow it.
_SEE = re.compile(
    r"(?:[:;]\s+|\s+\()(?:see\s+)?<a\b[^>]*>(?:(?!</a>).)*</a>\)?(?=[.;])"
    r"|(?<=[.?!])\s+<a\b[^>]*>(?:(?!</a>).)*</a>\.?(?=\s*$)",
    re.S,
)
# What a page has room for at most.
FOLLOW_UPS = 4
MISTAKES = 6


def address(level: str, part: str = "") -> str:
    """Address of a level's file; ``part`` is "exercises", "markdown", or "" for what each chosen question needs."""
    return f"practice/interview-kit/{level}{part and f'-{part}'}.json"


def on_paper(answer: str) -> str:
    """The first paragraph of an answer as HTML without links; "" where it begins with something else, such as a table.

    Args:
        answer: HTML, as a follow-up's fold holds it.
    """
    if not (paragraph := _PARAGRAPH.match(answer.strip())):
        return ""
    text = _LINK.sub("", _SEE.sub("", paragraph[1].strip()))
    return f"{text[:-1]}." if text.endswith(":") else text  # what it announces stays on the page


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
    """The first follow-ups of a page's proof that stand alone and begin with a paragraph, both as HTML."""
    asked_first = sorted(proof["next"], key=lambda one: not one.get("first"))
    found = ((one["question"], on_paper(one["answer"])) for one in asked_first if not one.get("here"))
    return [{"question": asked, "answer": answer} for asked, answer in found if answer][:FOLLOW_UPS]


def markdown(record: dict) -> dict:
    """What the kit says of a question or an exercise as Markdown, from what ``questions.json`` says of it.

    Returns:
        ``say`` or ``task``, ``next`` with the follow-ups, and the three of ``ladder``.
    """
    asked = "task" if "task" in record else "say_it"
    return {
        asked.removesuffix("_it"): record[asked],
        "next": record["follow_ups"],
        "ladder": list(record["listening_for"].values()),
    }


def exercise(page: Exercise, sections: Sections, snippets: Path, link: Callable[[str], str]) -> dict:
    """What an interviewer needs for an exercise, besides its card and follow-ups.

    Args:
        page: the exercise.
        sections: what its page shows.
        snippets: the folder of the programs.
        link: makes an address below the site's root relative to the page of the kit.

    Returns:
        ``task`` and ``core`` are HTML; ``line`` is the core line as code, ``starter`` too, and ``signature`` has its
        definitions; ``files`` has the addresses of starter and judge; ``mistakes`` says in plain text why each wrong
        solution is wrong.
    """
    starter = (snippets / page.start).read_text(encoding="utf-8")
    return {
        "task": task(sections),
        "starter": starter.strip(),
        "signature": signature(starter),
        "core": cards.core(page),
        "line": textwrap.dedent(page.line).strip(),
        "files": [link(SNIPPET_URL + name) for name in (page.start, page.judge)],
        "mistakes": [mistake.why for mistake in page.mistakes(snippets)][:MISTAKES],
    }


def files(build: Build, proofs: Mapping[str, dict]) -> dict[str, dict]:
    """What the kit loads besides the cards, by address.

    Args:
        build: a build of the site whose pages are done.
        proofs: the files of ``cards.files``, by address.

    Returns:
        For each level: ``next`` has the follow-ups of each question and exercise by its id, ``hours`` and ``days`` the
        level's own questions that its plans name. Another file has what else an exercise has, by its id; there is none
        for a level without exercises. The last has both as Markdown.
    """
    link, snippets = relative_link(cards.PAGE), build.renderer.root / "snippets"
    said = {name: proof for url, file in proofs.items() if url != cards.CARDS for name, proof in file.items()}
    written = {record["id"]: markdown(record) for record in data.records(build, build.questions, build.exercises)}
    found: dict[str, dict] = {}
    for level in build.site.levels:
        drills = [page for page in build.exercises if page.level == level.slug]
        pages = [page for page in (*build.questions, *drills) if page.level == level.slug and page.id in said]
        own = {question.id for question in level.questions}
        found[address(level.slug)] = {
            "hours": [name for name in (level.index.hours if level.index else ()) if name in own],
            "days": [name for name in (level.index.days if level.index else ()) if name in own],
            "next": {page.id: build.remembered("kit", page, lambda page: follow_ups(said[page.id])) for page in pages},
        }
        found[address(level.slug, "markdown")] = {page.id: written[page.id] for page in pages}
        if drills:
            found[address(level.slug, "exercises")] = {
                page.id: exercise(page, build.contents[page.id], snippets, link) for page in drills
            }
    return found
