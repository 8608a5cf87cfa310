"""``questions.json``: all questions as data, and the JSON Schema that describes it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from warmup import vocabulary
from warmup.content import markdown
from warmup.content.questions import Question
from warmup.exports.build import Build
from warmup.exports.plain_markdown import Writer, copy_of
from warmup.site import schema
from warmup.site.expand import SNIPPET_URL
from warmup.vocabulary import GRADES

QUESTIONS = "questions.json"
SCHEMA = schema.FILE.name
LICENSES = {"code": "MIT", "prose": "CC-BY-4.0"}


def write(build: Build) -> None:
    """Write ``questions.json`` and its schema."""
    data = {
        "$schema": build.link("")(SCHEMA),
        "version": 1,
        "name": build.name,
        "torch": build.renderer.figures.torch,
        "licenses": LICENSES,
        "questions": records(build),
    }
    build.write(QUESTIONS, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    build.write(SCHEMA, schema.FILE.read_text(encoding="utf-8"))


def records(build: Build) -> list[dict]:
    """What ``questions.json`` says of each question whose page could be built."""
    made = (build.once("record", question, lambda question: _record(build, question)) for question in build.questions)
    return [record for record in made if record]


def _record(build: Build, question: Question) -> dict | None:
    expanded = build.expanded(question)
    if expanded is None:
        return None
    link = build.link("")
    writer = Writer(build.renderer, f"{question.id}.md", link, question.url)
    say_it = expanded.section("Say it")
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
        "markdown": link(copy_of(f"{question.id}.md")),
        "related": [other.id for other in question.related],
        "say_it": writer.plain(say_it.lines) if say_it else "",
        "follow_ups": [
            {
                "question": writer.plain(markdown.lines(asked.title)),
                "answer": writer.plain(markdown.lines(asked.text)),
            }
            for asked in expanded.follow_ups
        ],
        "listening_for": {
            grade.lower(): re.sub(r"\n\s*", "\n", writer.plain(markdown.lines(text)))
            for grade, text in expanded.grades
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
