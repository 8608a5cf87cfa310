"""The schedule is the one of the reference in Python, in days of the calendar."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from fsrs import Card, Rating, Scheduler

from flashcards_page import PATH


def test_schedule_is_the_one_of_py_fsrs(open_page):
    rng = random.Random(0)
    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    begin = datetime(2026, 11, 21, tzinfo=UTC)
    histories, expected = [], []
    for _ in range(300):
        card, now, history, states = Card(), begin, [], []
        for _ in range(rng.randint(1, 12)):
            grade = rng.choices((1, 2, 3, 4), (2, 1, 4, 1))[0]
            # The reference counts periods of 24 hours. Told the day alone, it counts days.
            day = now.replace(hour=0, minute=0, second=0)
            card, _ = scheduler.review_card(card, Rating(grade), day)
            left = card.due - day
            history.append([grade, int(now.timestamp() * 1000)])
            states.append([card.stability, card.difficulty, int((now + left).timestamp() * 1000)])
            # Early, on time, earlier in its day, late, and again within the same day or past its end.
            now += rng.choice((timedelta(minutes=10), timedelta(hours=30), left, left - timedelta(hours=9), left * 3))
        histories.append(history)
        expected.append(states)
    page = open_page(PATH, timezone_id="UTC")
    found = page.evaluate(
        """async ([url, histories]) => {
            const { review } = await import(url)
            return histories.map(history => {
                let memory
                return history.map(([grade, now]) => {
                    memory = review(memory, grade, now)
                    return [memory.stability, memory.difficulty, memory.due]
                })
            })
        }""",
        [page.url.split("practice/")[0] + "assets/javascripts/practice/shared/fsrs.js", histories],
    )
    for mine, theirs in zip(found, expected, strict=True):
        for (stability, difficulty, due), reference in zip(mine, theirs, strict=True):
            assert stability == pytest.approx(reference[0], rel=1e-9)
            assert difficulty == pytest.approx(reference[1], rel=1e-9)
            assert due == reference[2]
