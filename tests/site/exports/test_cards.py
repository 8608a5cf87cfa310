"""The cards that the site is built with are complete, and their links lead somewhere."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from warmup.exports import cards
from warmup.kinds import levels

SITE = levels.load()
LINK = re.compile(r'href="([^"]+)"')


@pytest.fixture(scope="module")
def bank(site) -> dict:
    return json.loads((site / "practice/cards.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def proofs(site, bank) -> dict:
    """The proofs of all topics and of all exercises by id."""
    files = [*(cards.proofs(topic["id"]) for topic in bank["topics"]), cards.EXERCISES]
    found = [json.loads((site / file).read_text(encoding="utf-8")) for file in files]
    return {name: proof for file in found for name, proof in file.items()}


def test_every_question_has_a_complete_card(bank, proofs):
    assert {card["id"] for card in bank["cards"]} == set(SITE.by_id) == set(proofs) - set(SITE.drills_by_id)
    for card in bank["cards"]:
        question = SITE.by_id[card["id"]]
        assert card["title"] == question.title
        assert card["say"].startswith("<"), card["id"]
        assert len(card["ladder"]) == 3 and all(card["ladder"]), card["id"]
        assert 'class="highlight"' in proofs[card["id"]]["run"], card["id"]
        assert len(proofs[card["id"]]["next"]) == len(question.follow_ups), card["id"]
        assert all(one["question"] and one["answer"] for one in proofs[card["id"]]["next"]), card["id"]


def test_every_exercise_has_a_card_that_asks_for_its_core_line(bank):
    assert [card["id"] for card in bank["exercises"]] == [exercise.id for exercise in SITE.exercises]
    keys = {*bank["cards"][0], "ask"} - {"terms"}
    for card, exercise in zip(bank["exercises"], SITE.exercises, strict=True):
        assert card.keys() == keys
        assert (card["title"], card["ask"], card["kind"]) == (exercise.title, exercise.ask, "write")
        assert (card["level"], card["topic"], card["minutes"]) == (exercise.level, exercise.topic, exercise.minutes)
        shown = unescape(re.sub(r"<[^>]+>", "", card["say"].partition("</pre>")[0]))
        assert shown.strip() == exercise.line.strip()
        assert f'href="{card["url"]}"' in card["say"]
        assert len(card["ladder"]) == 3 and all(card["ladder"])


def test_every_link_of_a_card_leads_somewhere(site, bank, proofs):
    text = json.dumps([bank, proofs]).replace('\\"', '"')
    addresses = {unescape(match) for match in LINK.findall(text)}
    addresses |= {card["url"] for card in (*bank["cards"], *bank["exercises"])} | {
        topic["url"] for topic in bank["topics"]
    }
    relative = {address.partition("#")[0] for address in addresses if not re.match(r"[a-z]+:", address)}
    relative -= {""}  # within the card: a part that a drawing uses again
    assert len(relative) > len(SITE.questions)
    for address in relative:
        target = site / "practice/flashcards" / address
        assert (target / "index.html" if address.endswith("/") else target).is_file(), address


def test_proofs_are_not_in_the_file_that_opens_the_cards(bank):
    assert "highlight" not in json.dumps(bank["cards"])


def test_an_exercise_has_its_solution_and_its_follow_ups_for_a_mock_interview(bank, proofs):
    for exercise in SITE.exercises:
        found = proofs[exercise.id]
        assert 'class="example"' in found["run"] and 'class="highlight"' in found["run"], exercise.id
        assert len(found["next"]) == len(exercise.follow_ups) >= 2, exercise.id
        assert all(one["question"] and one["answer"] for one in found["next"]), exercise.id
    assert "write" in bank["kinds"]


def test_a_file_of_proofs_has_the_questions_of_its_topic_or_all_exercises_and_no_others(site):
    found = {
        path.relative_to(site).as_posix(): json.loads(path.read_text())
        for path in site.glob("practice/proofs/**/*.json")
    }
    topics = [topic for level in SITE.levels for topic in level.topics]
    assert {name: list(proofs) for name, proofs in found.items()} == {
        **{cards.proofs(topic.id): [question.id for question in topic.questions] for topic in topics},
        cards.EXERCISES: [exercise.id for exercise in SITE.exercises],
    }
