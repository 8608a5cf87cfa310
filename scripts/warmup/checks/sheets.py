"""What is wrong with a cheat sheet: questions without a line, lines that are too long, code that no program has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from warmup.checks import markup
from warmup.content import markdown, sheets
from warmup.content.levels import Level
from warmup.content.questions import Question
from warmup.project import Problem, relative

WORDS = 30


def problems(level: Level, snippets: Path) -> Iterator[Problem]:
    """Every problem of a level's sheet; none where it has no sheet.

    Args:
        level: its questions and its sheet.
        snippets: the folder of the programs.
    """
    sheet = level.sheet
    if sheet is None:
        return
    for line, message, fix in _found(sheet, {question.id: question for question in level.questions}, snippets):
        yield Problem(relative(sheet.path), line, message, fix)


def _found(sheet: sheets.Sheet, questions: dict[str, Question], snippets: Path) -> Iterator[tuple[int, str, str]]:
    for number in sheet.unread:
        yield (
            number,
            "This row cannot be read.",
            "Write it as: | the line | `code` | [name](topic/page.md) |",
        )
    seen = set()
    for entry in sheet.entries:
        if entry.question not in questions:
            yield entry.number, f"{entry.question!r} is no question of this level.", "Mend the link."
            continue
        if entry.question in seen:
            yield entry.number, f"{entry.question!r} has a second line here.", "Keep one."
        seen.add(entry.question)
        if "TODO" in entry.text:
            yield entry.number, "The sheet still says TODO.", "Write the line that is to be remembered."
        count = len(markdown.words(entry.text))
        if not count:
            yield entry.number, "The line says nothing.", "Write what is to be remembered."
        if count > WORDS:
            yield entry.number, f"The line has {count} words; at most {WORDS} are remembered.", "Say the one thing."
        if entry.code and not stands_in(entry.code, questions[entry.question], snippets):
            yield (
                entry.number,
                f"No program of {entry.question} has the code {entry.code!r} within one of its lines.",
                f"Copy it from one, {markup.COLUMNS} columns at most.",
            )
    for name in questions:
        if name not in seen:
            place = "/".join(name.split("/")[1:])
            yield sheet.body_line, f"{name} has no line.", f"Add one: | ... | | [...]({place}.md) |"


def stands_in(code: str, question: Question, snippets: Path) -> bool:
    """Whether a program that a question's page shows has some code within one line."""
    files = [path for name in question.snippets if (path := snippets / name).is_file()]
    rows = [row for path in files for row in path.read_text(encoding="utf-8", errors="replace").split("\n")]
    rows += [
        line.text for line in question.lines if line.fence and not line.opens and line.fence.info.startswith("python")
    ]
    return len(code) <= markup.COLUMNS and any(code in " ".join(row.split()) for row in rows)
