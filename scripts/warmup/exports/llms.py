"""``llms.txt``: the site for language models, as an index of its Markdown copies in the form of llmstxt.org."""

from __future__ import annotations

import re

from warmup import licenses
from warmup.exports import copies, data
from warmup.exports.build import Build
from warmup.exports.plain_markdown import copy_of, literal
from warmup.kinds.exercises import Exercise
from warmup.kinds.trainers import Trainer

LLMS = "llms.txt"
# It says whole sentences about a question, until there are this many characters.
NOTE = 80


def write(build: Build) -> None:
    """Write the index: what the site is, then its Markdown copies, sorted into sections."""
    link = build.link("")
    notes = {record["id"]: _first_sentences(record["say_it"]) for record in data.records(build, build.questions)}

    def item(title: str, url: str, note: str = "") -> str:
        return f"- [{literal(title)}]({link(url)})" + (f": {note}" if note else "")

    lines = [
        f"# {build.name}",
        "",
        f"> {build.summary}",
        "",
        f"{build.renderer.figures.questions} questions by level, in each level by topic, in the order in which to read "
        "them. Each has an answer to say aloud, the program that proves it with what a run printed, follow-ups with "
        "their answers, and what a weak, a good and a strong answer sound like. "
        f"Outputs are compared with torch {build.renderer.figures.torch}. {licenses.LINE}",
        "",
        "## Data",
        "",
        item(
            data.QUESTIONS,
            data.QUESTIONS,
            "all questions with answers, follow-ups, code and outputs, all practice, in one file",
        ),
        item(data.SCHEMA, data.SCHEMA, "its JSON Schema"),
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
    for label, folder, pages in (
        (Exercise.label_of_all, Exercise.folder_of_all, build.exercises),
        (Trainer.label_of_all, Trainer.folder_of_all, build.trainers),
    ):
        if pages:
            lines += [
                "",
                f"## {label}",
                "",
                item(label, copy_of(f"{folder}/index.md"), "how to go about them, and all of them"),
            ]
            lines += [item(page.title, copy_of(f"{page.id}.md"), f"{page.level}, {page.minutes} min") for page in pages]
    # Under this heading stands what can be left unread.
    lines += ["", "## Optional", ""]
    lines += [item(page.title, copy_of(source)) for source, page in copies.about(build)]
    build.write(LLMS, "\n".join(lines) + "\n")


def _first_sentences(text: str) -> str:
    note = ""
    for sentence in re.split(r"(?<=[.?!]) ", " ".join(text.split())):
        note = f"{note} {sentence}".strip()
        if len(note) >= NOTE:
            break
    return note
