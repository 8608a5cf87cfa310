"""The cards that the site is built with are complete, and their links lead somewhere."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from warmup.content import levels
from warmup.exports import cards

SITE = levels.load()
LINK = re.compile(r'href="([^"]+)"')


@pytest.fixture(scope="module")
def bank(site) -> dict:
    return json.loads((site / "practice/cards.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def proofs(site, bank) -> dict:
    """The proofs of all topics by question."""
    topics = [json.loads((site / cards.proofs(topic["id"])).read_text(encoding="utf-8")) for topic in bank["topics"]]
    return {name: proof for topic in topics for name, proof in topic.items()}


def test_every_question_has_a_complete_card(bank, proofs):
    assert {card["id"] for card in bank["cards"]} == set(SITE.by_id) == set(proofs)
    for card in bank["cards"]:
        question = SITE.by_id[card["id"]]
        assert card["title"] == question.title
        assert card["say"].startswith("<"), card["id"]
        assert len(card["ladder"]) == 3 and all(card["ladder"]), card["id"]
        assert 'class="highlight"' in proofs[card["id"]]["run"], card["id"]
        assert len(proofs[card["id"]]["next"]) == len(question.follow_ups), card["id"]
        assert all(one["question"] and one["answer"] for one in proofs[card["id"]]["next"]), card["id"]


def test_every_link_of_a_card_leads_somewhere(site, bank, proofs):
    text = json.dumps([bank, proofs]).replace('\\"', '"')
    addresses = {unescape(match) for match in LINK.findall(text)}
    addresses |= {card["url"] for card in bank["cards"]} | {topic["url"] for topic in bank["topics"]}
    relative = {address.partition("#")[0] for address in addresses if not re.match(r"[a-z]+:", address)}
    relative -= {""}  # within the card: a part that a drawing uses again
    assert len(relative) > len(SITE.questions)
    for address in relative:
        target = site / "practice/flashcards" / address
        assert (target / "index.html" if address.endswith("/") else target).is_file(), address


def test_proofs_are_not_in_the_file_that_opens_the_cards(site):
    assert "highlight" not in (site / "practice/cards.json").read_text(encoding="utf-8")


def test_a_file_of_proofs_has_the_questions_of_its_topic_and_no_others(site):
    found = {
        path.relative_to(site).as_posix(): json.loads(path.read_text())
        for path in site.glob("practice/proofs/**/*.json")
    }
    topics = [topic for level in SITE.levels for topic in level.topics]
    assert {name: list(proofs) for name, proofs in found.items()} == {
        cards.proofs(topic.id): [question.id for question in topic.questions] for topic in topics
    }
