"""A cheat sheet as its readers see it: its lines by topic, in the site's order, each with the number that its question
has in the level's prints."""

from __future__ import annotations

from warmup.content.levels import Level
from warmup.content.sheets import Line, Sheet


def arranged(level: Level, sheet: Sheet) -> str:
    """The sheet's Markdown with a list for each topic in place of the table.

    Args:
        level: the order of its questions.
        sheet: its lines, in any order.
    """
    entries = {entry.question: entry for entry in sheet.entries}
    rows = [sheet.introduction, "", '<div class="tw-lines" markdown="1">', ""]
    number = 0
    for topic in level.topics:
        # Its first question decides where the numbers of a topic begin, also if that one has no line.
        first = number + 1
        items = []
        for question in topic.questions:
            number += 1
            if question.id in entries:
                items.append(_item(entries[question.id], number, f"{question.topic}/{question.slug}.md"))
        if items:
            rows += [f"## {topic.label}", "", f'<ol start="{first}" markdown="1">', *items, "</ol>", ""]
    return "\n".join([*rows, "</div>"])


def _item(entry: Line, number: int, target: str) -> str:
    mark = "``" if "`" in entry.code else "`"
    code = f' <span class="tw-lines__code">{mark}{entry.code}{mark}</span>' if entry.code else ""
    return f'<li value="{number}" markdown="span">{entry.text} [{entry.name}]({target}){code}</li>'
