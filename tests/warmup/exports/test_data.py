"""Questions as data, from small sources."""

from __future__ import annotations

import json
import re

from warmup.exports import data
from warmup.site import schema


def test_a_question_as_data(written):
    record = json.loads(written(data, "questions.json"))["questions"][0]
    asked = record["follow_ups"][0]
    assert asked["question"] == "Why?"
    assert asked["answer"].startswith(
        "Because, as [here](junior/topic/thing.md#say-it) and [there](https://example.org"
    )
    assert record["listening_for"] == {"weak": "One.", "good": "Two\nlines.", "strong": "Three."}
    assert record["snippets"][0]["code"].startswith("# /// script")


def test_the_table_has_every_field_of_the_schema():
    table = "\n".join(schema.table())
    descriptions = re.findall(r'"description": "([^"]*)"', schema.FILE.read_text(encoding="utf-8"))
    assert len(descriptions) == table.count("\n") - 1
    assert all(f"| {description} |" in table for description in descriptions)
    assert "| `questions[].follow_ups[].answer` | string |" in table
    assert "| `questions[].snippets[].output` | string or null |" in table


def test_the_schema_stands_beside_the_data(written):
    assert written(data, "questions.schema.json") == schema.FILE.read_text(encoding="utf-8")
    assert json.loads(written(data, "questions.json"))["$schema"] == "questions.schema.json"
