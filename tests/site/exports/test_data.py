"""The data that the site offers, as its users validate it."""

from __future__ import annotations

import json

import jsonschema
import pytest

from warmup.content import one_file
from warmup.exports import data as written
from warmup.exports import llms
from warmup.kinds import levels
from warmup.project import SNIPPETS
from warmup.testing import below_its_label

SITE = levels.load()


@pytest.fixture(scope="module")
def validator(site) -> jsonschema.Draft202012Validator:
    published = json.loads((site / "questions.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    return jsonschema.Draft202012Validator(published)


def test_questions_json_matches_its_schema(data, validator, base):
    validator.validate(data)
    assert data["$schema"] == f"{base}questions.schema.json"


@pytest.mark.parametrize(
    "break_it",
    [
        lambda data: data.update(extra=1),
        lambda data: data.update(version=2),
        lambda data: data["questions"][0].update(extra=1),
        lambda data: data["questions"][0].pop("say_it"),
        lambda data: data["questions"][0].update(level="wizard"),
        lambda data: data["questions"][0]["snippets"][0].update(extra=1),
        lambda data: data["questions"][0]["listening_for"].pop("weak"),
        lambda data: data["questions"][0]["follow_ups"][0].update(answer=""),
        lambda data: data.pop("exercises"),
        lambda data: data["exercises"][0].update(extra=1),
        lambda data: data["exercises"][0].pop("judge"),
        lambda data: data["exercises"][0].update(wrong=[]),
        lambda data: data["trainers"][0].update(hints=[]),
        lambda data: data["trainers"][0]["bugs"][0].update(changes=[]),
    ],
)
def test_the_schema_refuses_what_it_does_not_know(data, validator, break_it):
    broken = json.loads(json.dumps(data))
    break_it(broken)
    assert not validator.is_valid(broken)


def test_questions_json_says_what_the_pages_say(site, data, copies, base):
    # Topics are in the order of the navigation, which levels.load() is not told here.
    assert len(data["questions"]) == len(SITE.by_id)
    assert {record["id"] for record in data["questions"]} == set(SITE.by_id)
    for record in data["questions"]:
        question = SITE.by_id[record["id"]]
        assert (record["title"], record["tags"], record["minutes"]) == (question.title, question.tags, question.minutes)
        assert record["url"] == base + question.url
        text = copies[record["markdown"].removeprefix(base)]
        assert record["say_it"] in text
        assert [fold["question"] for fold in record["follow_ups"]] == [asked.title for asked in question.follow_ups]
        assert all(fold["answer"] in text for fold in record["follow_ups"])
        assert all(sentence for sentence in record["listening_for"].values())
        for snippet in record["snippets"]:
            file = SNIPPETS / snippet["path"]
            assert snippet["code"] == file.read_text(encoding="utf-8")
            recorded = file.with_suffix(".out").exists()
            assert (snippet["output"] is not None) is (snippet["recorded"] is not None) is recorded
            assert not recorded or file.with_suffix(".out").read_text(encoding="utf-8").endswith(snippet["output"])


def test_questions_json_has_every_exercise_with_its_files(site, data, copies, base):
    assert [record["id"] for record in data["exercises"]] == [page.id for page in SITE.exercises]
    for record, page in zip(data["exercises"], SITE.exercises, strict=True):
        assert (record["title"], record["topic"], record["rank"]) == (page.title, page.topic, page.rank)
        assert record["task"] in copies[record["markdown"].removeprefix(base)]
        assert record["core"] == {"ask": page.ask, "line": page.line}
        assert [one["name"] for one in record["wrong"]] == [mistake.name for mistake in page.mistakes(SNIPPETS)]
        for file in (record["starter"], record["solution"]):
            assert below_its_label((site / file["url"].removeprefix(base)).read_text("utf-8")) == file["code"]
        judge = below_its_label((site / record["judge"].removeprefix(base)).read_text("utf-8"))
        assert judge == one_file.assembled(SNIPPETS / page.judge)


def test_questions_json_has_every_trainer_with_its_bugs(site, data, copies, base):
    assert [record["id"] for record in data["trainers"]] == [page.id for page in SITE.trainers]
    for record, page in zip(data["trainers"], SITE.trainers, strict=True):
        text = copies[record["markdown"].removeprefix(base)]
        assert record["symptom"] in text and record["diagnosis"] in text
        assert [bug["name"] for bug in record["bugs"]] == [bug.why for bug in page.mistakes(SNIPPETS)]
        for file in (record["broken"], record["fixed"]):
            assert below_its_label((site / file["url"].removeprefix(base)).read_text("utf-8")) == file["code"]
        check = below_its_label((site / record["check"].removeprefix(base)).read_text("utf-8"))
        assert check == one_file.assembled(SNIPPETS / page.judge)


def test_the_page_about_the_data_lists_the_files_and_the_fields(site, validator):
    text = (site / "about/data/index.html").read_text(encoding="utf-8")
    for file in (llms.LLMS, written.QUESTIONS, written.SCHEMA):
        assert f'href="../../{file}"' in text
    for name in validator.schema["properties"]["questions"]["items"]["properties"]:
        assert f"<code>questions[].{name}</code>" in text
    for kind in ("exercises", "trainers"):
        for name in validator.schema["properties"][kind]["items"]["properties"]:
            assert f"<code>{kind}[].{name}</code>" in text
