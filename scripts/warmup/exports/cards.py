"""The cards that flashcards and mock interview show: what a question page says, cut at its sections.

They are made from the pages' finished HTML, so that a card shows what the page shows: the same highlighting, formulas,
outputs and pictures. Code is most of the bytes and is wanted last: ``cards.json`` is enough to ask and to grade, and
the proofs are in one file a topic. All are for this site's own scripts; ``questions.json`` is the one for others.
"""

from __future__ import annotations

from collections.abc import Callable

from warmup import vocabulary
from warmup.content.questions import Question
from warmup.exports.build import Build
from warmup.exports.sections import Sections
from warmup.site.links import relative_link
from warmup.vocabulary import GRADES

CARDS = "practice/cards.json"
# Every page that shows cards stands this deep: their links are relative to it.
PAGE = "practice/flashcards/"


def proofs(topic: str) -> str:
    """Address of a topic's proofs; a topic is named as ``level/topic``."""
    return f"practice/proofs/{topic}.json"


def card(question: Question, sections: Sections, link: Callable[[str], str]) -> dict:
    """What ``cards.json`` says of one question.

    Args:
        question: the page.
        sections: what its HTML says, with links fit for the pages that show cards.
        link: makes an address below the site's root relative to the pages that show cards.

    Returns:
        ``id``, ``title``, ``short``, ``level``, ``topic``, ``kind`` and ``url`` are plain text, ``minutes`` is a
        number; ``say`` and the three of ``ladder`` (Weak, Good, Strong) are HTML.
    """
    return {
        "id": question.id,
        "title": question.title,
        "short": question.short,
        "level": question.level,
        "topic": f"{question.level}/{question.topic}",
        "kind": question.kind,
        "minutes": question.minutes,
        "url": link(question.url),
        "say": sections.say,
        "ladder": [text for _, text in sections.ladder],
    }


def proof(sections: Sections) -> dict:
    """What a file of proofs says of one question, all HTML: ``run`` is *Run it*, ``next`` has the follow-ups."""
    return {
        "run": sections.run,
        "next": [{"question": asked, "answer": answer} for asked, answer in sections.follow_ups],
    }


def files(build: Build) -> dict[str, dict]:
    """The files by address: cards in the site's order with the words for levels, topics and kinds, and proofs by id."""
    site, link = build.site, relative_link(PAGE)
    topics = [topic for level in site.levels for topic in level.topics if topic.questions]
    shown = {
        question.id: build.once("placed", question, lambda question: build.sections(question).placed(question, link))
        for question in build.questions
    }
    return {
        CARDS: {
            "grades": list(GRADES),
            "kinds": vocabulary.KINDS,
            "levels": {level.slug: level.label for level in site.levels},
            "topics": [
                {"id": topic.id, "level": topic.level, "label": topic.label, "url": link(topic.url)} for topic in topics
            ],
            "cards": [card(question, shown[question.id], link) for question in build.questions],
        },
        **{
            proofs(topic.id): {one.id: proof(shown[one.id]) for one in topic.questions if one.id in shown}
            for topic in topics
        },
    }
