"""Pages that are no file: for each topic its puzzles, and its myths in full.

A page with all of them would grow with the content. These are made from the questions and puzzles when the site is
built; their sources are Markdown as an author would have written it.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from warmup.content.page import Section
from warmup.kinds import puzzles
from warmup.kinds.levels import Site, Topic
from warmup.kinds.questions import Question
from warmup.site import blocks
from warmup.site.links import rebase, source_link

# The page that lists them all, and the folder of the topics' pages.
PUZZLES = "practice/predict"
MYTHS = "about/myths"


def name(folder: str, topic: Topic) -> str:
    """The topic's page in a folder, as if it were a file below ``docs/``."""
    return f"{folder}/{topic.id}.md"


def as_text(text: str) -> str:
    """Plain text so that Markdown takes nothing in it for markup."""
    return re.sub(r"[\\`*_{}\[\]]", r"\\\g<0>", html.escape(text, quote=False))


def good_puzzles(site: Site, snippets: Path) -> dict[str, list[puzzles.Puzzle]]:
    """The puzzles by the id of their question's topic, in the site's order. One with a problem is left out."""
    found: dict[str, list[puzzles.Puzzle]] = {}
    for puzzle in site.puzzles:
        if puzzle.question and not any(puzzles.problems(puzzle, snippets)):
            found.setdefault(f"{puzzle.question.level}/{puzzle.question.topic}", []).append(puzzle)
    return found


def sources(
    site: Site, puzzles: Mapping[str, list[puzzles.Puzzle]], docs: Path, snippets: Path
) -> Iterator[tuple[str, str]]:
    """The pages as (name below ``docs/``, source with its front matter).

    Args:
        site: the questions.
        puzzles: those to show, by the id of their topic.
        docs: the folder of the pages.
        snippets: the folder of the programs.
    """
    for topic in (topic for level in site.levels for topic in level.topics):
        if topic.id in puzzles:
            where = docs / name(PUZZLES, topic)
            yield (
                name(PUZZLES, topic),
                _page(
                    f"Predict the output: {topic.label} ({topic.level})",
                    f"Short programs about {topic.label}, with what each prints and why.",
                    "Decide what a program prints, then open the answer below it.\n\n"
                    f"[Programs of all topics]({source_link(docs / f'{PUZZLES}.md', where)})",
                    ['<div class="tw-app" markdown="1">', ""],
                    *(_puzzle(one, one.question, where, snippets) for one in puzzles[topic.id] if one.question),
                    ["</div>"],
                    practice=True,
                ),
            )
        told = [(question, myth) for question in topic.questions if (myth := question.section("Myth"))]
        if told:
            where = docs / name(MYTHS, topic)
            yield (
                name(MYTHS, topic),
                _page(
                    f"Myths: {topic.label} ({topic.level})",
                    f"Answers about {topic.label} that circulate, and the run that refutes each.",
                    f"[Myths of all topics]({source_link(docs / f'{MYTHS}.md', where)})",
                    *(_myth(question, myth, where) for question, myth in told),
                ),
            )


def _page(title: str, description: str, opening: str, *parts: list[str], practice: bool = False) -> str:
    front = {"title": title, "description": description, "practice": practice, "hide": ["navigation"]}
    rows = [f"{key}: {json.dumps(value)}" for key, value in front.items()]
    return "\n".join(["---", *rows, "---", "", opening, "", *(line for part in parts for line in part)])


def _myth(question: Question, myth: Section, where: Path) -> list[str]:
    source = source_link(question.path, where)
    return [
        f'## "{rebase(myth.fact, question.path, where)}" {{ #{question.slug} }}',
        "",
        rebase(myth.text, question.path, where),
        "",
        f"The right answer: [{as_text(question.title)}]({source})",
        "",
    ]


def _puzzle(puzzle: puzzles.Puzzle, question: Question, where: Path, snippets: Path) -> list[str]:
    choices = puzzle.shuffled(snippets)
    key = next(number for number, (_, wrong) in enumerate(choices) if wrong is None)
    lines = [
        f'<section class="tw-puzzle" data-level="{question.level}" data-topic="{question.level}/{question.topic}" '
        f'data-key="{key}" markdown="1">',
        "",
        f"## {as_text(puzzle.page.title)} {{ #{puzzle.slug} }}",
        "",
        f'<p class="tw-puzzle__place">{question.level_label}, {html.escape(question.topic_label)}</p>',
        "",
        f'```python title="{posixpath.basename(puzzle.program)}"',
        f'--8<-- "{puzzle.program}"',
        "```",
        "",
        '<fieldset class="tw-guesses">',
        "<legend>What does it print?</legend>",
        *(
            f'<label class="tw-guess"><input type="radio" name="{puzzle.slug}"> {_inline_output(output)}</label>'
            for output, _ in choices
        ),
        "</fieldset>",
        "",
        '<details class="tw-answer" markdown="1">',
        "<summary>Answer</summary>",
        "",
        "```output",
        f'--8<-- "{puzzle.output}"',
        "```",
        "",
        rebase(puzzle.why, puzzle.page.path, where),
        "",
        f"Read more: [{as_text(question.title)}]({source_link(question.path, where)})",
        "",
    ]
    for number, (output, wrong) in enumerate(choices):
        if wrong:
            lines += [
                f'<div class="tw-mistake" data-choice="{number}" markdown="1">',
                "",
                *_cause(puzzle, output, wrong, snippets),
                rebase(wrong.because, puzzle.page.path, where),
                "",
                "</div>",
                "",
            ]
    return [*lines, "</details>", "", "</section>", ""]


def _cause(puzzle: puzzles.Puzzle, output: str, wrong: puzzles.Choice, snippets: Path) -> list[str]:
    if not wrong.variant:
        return [f"<p>{_inline_output(output)} comes from a misconception:</p>", ""]
    change = blocks.diff_block(blocks.code(snippets / puzzle.program), blocks.code(snippets / wrong.variant))
    return [f"<p>{_inline_output(output)} is what you get with this change:</p>", "", change, ""]


def _inline_output(output: str) -> str:
    """What a program printed, within a sentence; its line breaks outlive the Markdown around it."""
    return f"<code>{html.escape(output, quote=False)}</code>".replace("\n", "&#10;")
