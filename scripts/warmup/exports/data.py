"""``questions.json``: all questions, exercises and trainers as data, and the JSON Schema that describes it."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterable
from typing import Any

from warmup import licenses, vocabulary
from warmup.content import markdown, sources
from warmup.exports.build import Build, Known
from warmup.exports.plain_markdown import Writer, copy_of
from warmup.kinds.entry import Entry
from warmup.kinds.exercises import Exercise
from warmup.kinds.questions import Question
from warmup.kinds.trainers import Trainer
from warmup.project import ProblemError
from warmup.site import schema
from warmup.site.links import SNIPPET_URL
from warmup.vocabulary import GRADES

QUESTIONS = "questions.json"
SCHEMA = schema.FILE.name


def write(build: Build) -> None:
    """Write ``questions.json`` and its schema."""
    data = {
        "$schema": build.link("")(SCHEMA),
        "version": 1,
        "name": build.name,
        "torch": build.renderer.figures.torch,
        "licenses": {"code": licenses.CODE, "prose": licenses.PROSE.replace(" ", "-")},
        "questions": records(build, build.questions),
        "exercises": records(build, build.exercises),
        "trainers": records(build, build.trainers),
    }
    build.write(QUESTIONS, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    build.write(SCHEMA, schema.FILE.read_text(encoding="utf-8"))


def records(build: Build, *pages: Iterable[Known]) -> list[dict]:
    """What ``questions.json`` says of each question, exercise or trainer whose page could be built."""

    def record(page: Known) -> dict | None:
        make: Any = {Question: _question, Exercise: _exercise, Trainer: _trainer}[type(page)]
        with contextlib.suppress(ProblemError, OSError, UnicodeDecodeError):  # reported by checks.problems
            return make(build, page, build.written(page))
        return None

    made = (build.remembered("record", page, record) for page in itertools.chain(*pages))
    return [record for record in made if record]


def _question(build: Build, question: Question, written: Question) -> dict:
    say_it = written.section("Say it")
    return {
        **_head(build, question),
        "topic": question.topic,
        "kind": question.kind,
        "tags": question.tags,
        "needs": [need for need, label in vocabulary.NEEDS.items() if label in question.needs],
        "terms": question.terms,
        "say_it": _writer(build, question).plain(say_it.lines) if say_it else "",
        **_ends(build, written),
        "snippets": [_snippet(build, name) for name in question.snippets],
    }


def _exercise(build: Build, page: Exercise, written: Exercise) -> dict:
    writer, snippets = _writer(build, page), build.renderer.snippets
    task = written.section("Task")
    right = (snippets / page.answer).read_text(encoding="utf-8")
    return {
        **_head(build, page),
        "topic": page.topic,
        "rank": page.rank,
        "task": writer.plain(task.lines) if task else "",
        "hints": [writer.plain(hint.rows) for hint in written.hints],
        "core": {"ask": page.ask, "line": page.line},
        "starter": _file(build, page.start),
        "judge": build.link("")(SNIPPET_URL + page.judge),
        "solution": _file(build, page.answer),
        "wrong": [
            {"name": mistake.name, "why": mistake.why, "code": mistake.program(right)}
            for mistake in page.mistakes(snippets)
        ],
        **_ends(build, written),
    }


def _trainer(build: Build, page: Trainer, written: Trainer) -> dict:
    writer = _writer(build, page)
    symptom, diagnosis = written.section("Symptom"), written.section("Diagnosis")
    return {
        **_head(build, page),
        "symptom": writer.plain(symptom.lines) if symptom else "",
        "hints": [writer.plain(hint.rows) for hint in written.hints],
        "broken": _file(build, page.start),
        "check": build.link("")(SNIPPET_URL + page.judge),
        "diagnosis": writer.plain(diagnosis.lines) if diagnosis else "",
        "fixed": _file(build, page.answer),
        "bugs": [
            {"name": bug.why, "changes": [{"broken": one.wrong, "fixed": one.right} for one in bug.changes]}
            for bug in page.mistakes(build.renderer.snippets)
        ],
        **_ends(build, written),
    }


def _head(build: Build, page: Entry) -> dict:
    link = build.link("")
    return {
        "id": page.id,
        "title": page.title,
        "level": page.level,
        "minutes": page.minutes,
        "url": link(page.url),
        "markdown": link(copy_of(f"{page.id}.md")),
        "related": [other.id for other in page.related],
    }


def _ends(build: Build, page: Entry) -> dict:
    writer = _writer(build, page)
    return {
        "follow_ups": [
            {
                "question": writer.plain(markdown.lines(asked.title)),
                "answer": writer.plain(asked.rows),
            }
            for asked in page.follow_ups
        ],
        "listening_for": {
            grade.lower(): re.sub(r"\n\s*", "\n", writer.plain(markdown.lines(text)))
            for grade, text in page.grades
            if grade in (page.grade_names if isinstance(page, Question) else GRADES)
        },
    }


def _writer(build: Build, page: Entry) -> Writer:
    return Writer(build.renderer, f"{page.id}.md", build.link(""))


def _file(build: Build, name: str) -> dict:
    code = sources.text(build.renderer.snippets / name)
    return {"path": name, "url": build.link("")(SNIPPET_URL + name), "code": code}


def _snippet(build: Build, name: str) -> dict:
    output = build.renderer.output((build.renderer.snippets / name).with_suffix(".out"))
    return {
        **_file(build, name),
        "output": output and output.text,
        "recorded": output and output.recorded,
    }
