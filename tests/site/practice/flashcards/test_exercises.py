"""Exercises among the flashcards: they ask for the core line."""

from __future__ import annotations

import re
from functools import partial

import pytest
from playwright.sync_api import expect

from flashcards_page import DAY, PATH, SITE, answer, counts, question, start
from practice_pages import check_on_a_phone, check_with_axe, stored, with_stored

FIRST = SITE.exercises[0]
CARD = f"card:{FIRST.id}"
TOPIC = [one for one in SITE.exercises if one.topic == FIRST.topic]
ASKED = "Write the core line"
QUESTION = SITE.questions[0]


def memory(due: int) -> dict:
    """A card that was answered long ago, and the more urgent the smaller ``due`` is."""
    return {"at": DAY, "last": DAY, "due": 2 * DAY + due, "stability": 2.5, "difficulty": 5, "reviews": 3}


def two_due(open_page):
    """An exercise and a question are due, in this order."""
    return with_stored(open_page, PATH, {CARD: memory(1), f"card:{QUESTION.id}": memory(2)})


def is_asked(page, exercise=FIRST) -> None:
    expect(question(page)).to_have_text(ASKED)
    expect(page.locator(".tw-ask")).to_contain_text(exercise.title)
    expect(page.locator(".tw-ask")).to_contain_text(exercise.ask)


def test_an_exercise_asks_for_its_core_line_and_is_scheduled_like_a_card(open_page):
    page = open_page(f"{PATH}?kind=write")
    total = len(SITE.exercises)
    expect(counts(page)).to_contain_text(f"0 due, {total} new, 0 known")
    start(page)
    is_asked(page)
    expect(page.locator(".tw-ask__place").first).to_contain_text(
        f"{FIRST.level_label} · {FIRST.topic} · Write from memory · {min(20, total)} card"
    )
    expect(page.locator("#flashcards")).to_contain_text("Write it down.")
    expect(page.locator("#flashcards")).not_to_contain_text("aloud")
    page.keyboard.press("Space")
    core = page.locator(".tw-part", has_text="The core line")
    shown = [line.strip() for line in core.locator("code").inner_text().splitlines()]
    assert shown == [line.strip() for line in FIRST.line.splitlines()]
    expect(core.get_by_role("link")).to_have_attribute("href", f"../write/{FIRST.slug}/")
    expect(page.locator(".tw-ladder li")).to_have_count(3)
    expect(page.get_by_role("heading", name="The proof")).to_have_count(0)
    page.keyboard.press("3")
    assert stored(page)[CARD]["grade"] == 3 and stored(page)[CARD]["reviews"] == 1


def test_level_and_topic_choose_exercises_and_their_topic_has_a_row(open_page):
    page = open_page(f"{PATH}?topic={FIRST.topic.replace(' ', '+')}")
    expect(counts(page)).to_contain_text(f"0 due, {len(TOPIC)} new")
    page.locator("select[name=level]").select_option(FIRST.level)
    there = sum(one.level == FIRST.level for one in TOPIC)
    expect(counts(page)).to_contain_text(f"{there} new")
    start(page)
    answer(page, "Good")
    page.keyboard.press("Escape")
    row = page.locator(".tw-by-topic tbody tr", has_text=f"{FIRST.topic} Write from memory")
    expect(row.locator(".tw-number")).to_have_text(["1", "0", str(there - 1)])
    expect(row.get_by_role("link")).to_have_attribute("href", "../write/")
    rows = page.locator(".tw-by-topic tbody tr")
    expect(rows).to_have_count(1)
    for name in ("level", "topic"):
        page.locator(f"select[name={name}]").select_option("")
    expect(row.locator(".tw-number")).to_have_text(["1", "0", str(len(TOPIC) - 1)])
    topics = len({(one.level, one.topic) for one in SITE.questions}) + len({one.topic for one in SITE.exercises})
    expect(rows).to_have_count(topics)


def test_the_list_of_questions_does_not_offer_them(open_page):
    page = open_page("questions/?kind=write")
    expect(page.locator("select[name=kind]")).to_have_value("")
    expect(page.get_by_text("Write from memory").and_(page.locator("option"))).to_have_count(0)


def test_a_session_with_questions_and_exercises_is_undone_and_resumed(open_page):
    page = two_due(open_page)
    expect(counts(page)).to_contain_text("2 due")
    start(page)
    is_asked(page)
    answer(page, "Again")
    expect(question(page)).to_have_text(QUESTION.title)
    page.keyboard.press("u")
    is_asked(page)
    assert stored(page)[CARD]["reviews"] == 3
    answer(page, "Good")
    expect(question(page)).to_have_text(QUESTION.title)
    page.reload()
    page.get_by_role("button", name=re.compile("^Go on: 19 cards left of 20")).click()
    expect(question(page)).to_have_text(QUESTION.title)
    answer(page, "Easy")
    assert {name: stored(page)[name]["reviews"] for name in (CARD, f"card:{QUESTION.id}")} == {
        CARD: 4,
        f"card:{QUESTION.id}": 4,
    }


def test_two_tabs_do_not_ask_the_same_exercise_twice(open_page):
    page = two_due(open_page)
    other = page.context.new_page()
    other.goto(page.url)
    for tab in (page, other):
        start(tab)
    answer(page, "Good")  # the exercise
    answer(page, "Good")
    answer(other, "Easy")  # the exercise, shown there before; the question need not be asked again
    expect(question(other)).not_to_have_text(QUESTION.title)
    assert stored(page)[CARD]["grade"] == 4
    for tab in (page, other):
        tab.keyboard.press("Escape")
        expect(counts(tab)).to_contain_text("2 known")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(open_page, scheme):
    page = two_due(partial(open_page, scheme=scheme, width=390))
    start(page)
    check_with_axe(page, "asked", colors_only=scheme == "dark")
    page.keyboard.press("Space")
    check_with_axe(page, "revealed", colors_only=scheme == "dark")
    check_on_a_phone(page, "revealed", "#flashcards button")
