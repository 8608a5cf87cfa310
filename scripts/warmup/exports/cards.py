"""The cards that flashcards and mock interview show: what a question page says, cut at its sections.

They are made from the pages' finished HTML, so that a card shows what the page shows: the same highlighting, formulas,
outputs and pictures. Code is most of the bytes and is wanted last: ``cards.json`` is enough to ask and to grade, and
the proofs are in one file a topic. All are for this site's own scripts; ``questions.json`` is the one for others.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Callable, Sequence

from warmup import vocabulary
from warmup.content.markdown import Fold
from warmup.exports.build import Build, Known
from warmup.kinds.exercises import Exercise
from warmup.kinds.questions import Question
from warmup.site import blocks
from warmup.site.links import relative_link
from warmup.site.sections import Sections
from warmup.vocabulary import GRADES

CARDS = "practice/cards.json"
# Every page that shows cards stands this deep: their links are relative to it.
PAGE = "practice/flashcards/"
# The solutions and follow-ups of all exercises in one file: a mock interview draws one or two of them.
EXERCISES = f"practice/proofs/{Exercise.folder_of_all}.json"


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
        number; ``say`` and the three of ``ladder`` are HTML. ``terms`` are words that the answer has, ``grades`` what
        the three are called, where they are not Weak, Good and Strong, and ``story`` is True where one tells a story.
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
        **({"terms": question.terms} if question.terms else {}),
        **({"grades": list(question.grade_names)} if question.grade_names != GRADES else {}),
        **({"story": True} if question.is_story else {}),
    }


def proof(sections: Sections, folds: Sequence[Fold] = ()) -> dict:
    """What a file of proofs says, all HTML: ``run`` is *Run it* or *Solution*, ``next`` has the follow-ups.

    Args:
        sections: what the page's HTML says.
        folds: the follow-ups as they were written. In ``next``, one that needs the page in view has ``here``, and one
            that comes first in an interview ``first``, both True.
    """
    told = {number: {key: True for key in ("here", "first") if getattr(fold, key)} for number, fold in enumerate(folds)}
    return {
        "run": sections.run,
        "next": [
            {"question": asked, "answer": answer, **told.get(number, {})}
            for number, (asked, answer) in enumerate(sections.follow_ups)
        ],
    }


def exercise(page: Exercise, sections: Sections, link: Callable[[str], str]) -> dict:
    """What ``cards.json`` says of an exercise: a card like a question's that asks for the core line in ``ask``.

    Args:
        page: the exercise.
        sections: what its HTML says, with links fit for the pages that show cards.
        link: as for ``card``.

    Returns:
        The keys of a card with ``kind`` "write", ``topic`` in words and ``ask`` as plain text; ``say`` is HTML, the
        core line and a link to the exercise.
    """
    return {
        "id": page.id,
        "title": page.title,
        "short": page.short,
        "level": page.level,
        "topic": page.topic,
        "kind": "write",
        "minutes": page.minutes,
        "url": link(page.url),
        "ask": page.ask,
        "say": f'{core(page)}<p><a href="{html.escape(link(page.url))}">The exercise, and why it is so</a></p>',
        "ladder": [text for _, text in sections.ladder],
    }


def core(page: Exercise) -> str:
    """The core line of an exercise as HTML."""
    code = blocks.highlighted(textwrap.dedent(page.line))
    return f'<div class="highlight"><pre><span></span><code>{code}</code></pre></div>'


def files(build: Build) -> dict[str, dict]:
    """The files by address: cards in the site's order with the words for levels, topics and kinds, and proofs by id."""
    site, link = build.site, relative_link(PAGE)
    topics = [topic for level in site.levels for topic in level.topics if topic.questions]
    shown = {question.id: _shown(build, question, link) for question in build.questions}
    written = {page.id: _shown(build, page, link) for page in build.exercises}
    found: dict[str, dict] = {
        CARDS: {
            "grades": list(GRADES),
            "kinds": {**vocabulary.KINDS, "write": Exercise.label_of_all},
            "levels": {level.slug: level.label for level in site.levels},
            "topics": [
                {"id": topic.id, "level": topic.level, "label": topic.label, "url": link(topic.url)} for topic in topics
            ],
            "cards": [card(question, shown[question.id], link) for question in build.questions],
            "exercises": [exercise(page, written[page.id], link) for page in build.exercises],
        },
        **{
            proofs(topic.id): {
                one.id: proof(shown[one.id], one.follow_ups) for one in topic.questions if one.id in shown
            }
            for topic in topics
        },
    }
    if written:
        found[EXERCISES] = {page.id: proof(written[page.id], page.follow_ups) for page in build.exercises}
    return found


def _shown(build: Build, page: Known, link: Callable[[str], str]) -> Sections:
    """What a page's HTML says, for the pages that show cards."""
    return build.remembered("placed", page, lambda page: build.contents[page.id].placed(page, link))
