"""What a reader does not want to be asked, what a day asks for, and a session that waits for a review."""

from __future__ import annotations

import re
import time
from datetime import date, timedelta

from playwright.sync_api import expect

from flashcards_page import DAY, PATH, SITE, answer, counts, question, start
from practice_pages import check_with_axe, stored, with_stored

CARDS = [*SITE.questions, *SITE.exercises]


def known(due: float, last: float = -2.0, reviews: int = 2) -> dict:
    now = int(time.time() * 1000)
    at = int(now + last * DAY)
    memory = {"stability": 1, "difficulty": 5, "reviews": reviews, "grade": 3}
    return {"at": at, "last": at, "due": int(now + due * DAY), **memory}


def main_buttons(page):
    return page.locator(".tw-overview .tw-actions button")


def test_a_suspended_card_is_not_asked_until_it_is_taken_back(open_page):
    page = open_page(f"{PATH}?topic=junior/saving")
    total = sum((q.level, q.topic) == ("junior", "saving") for q in SITE.questions)
    start(page)
    first = question(page).inner_text()
    page.keyboard.press("x")
    expect(question(page)).not_to_have_text(first)
    second = question(page).inner_text()
    page.get_by_role("button", name="Take the last card back").click()
    expect(question(page)).to_have_text(first)
    page.get_by_role("button", name="Suspend this card").click()
    expect(question(page)).to_have_text(second)
    page.keyboard.press("Escape")
    page.reload()
    expect(counts(page)).to_contain_text(f"0 due, {total - 1} new")
    expect(main_buttons(page).first).to_contain_text(f"{total - 1} cards left")
    page.locator(".tw-suspended summary").click()
    check_with_axe(page, "suspended")
    page.get_by_role("button", name=f"Take back: {first}").click()
    expect(counts(page)).to_contain_text(f"0 due, {total} new")
    expect(page.locator(".tw-suspended")).to_be_hidden()


def test_a_suspended_card_that_is_due_is_not_counted_as_due(open_page, address):
    due = {f"card:{CARDS[0].id}": known(-1), f"card:{CARDS[1].id}": known(-1)}
    page = with_stored(open_page, "", {**due, "place:flashcards-suspended": {"ids": CARDS[0].id, "at": 1}})
    expect(page.get_by_role("link", name="1 card is due today")).to_be_visible()
    page.goto(f"{address}{PATH}")
    expect(counts(page)).to_contain_text("1 due")


def test_a_session_that_was_left_outlives_a_review_of_what_is_due(open_page):
    left = {"queue": ",".join(card.id for card in CARDS[4:8]), "total": 10, "at": int(time.time() * 1000) - DAY}
    due = {f"card:{CARDS[0].id}": known(-1), f"card:{CARDS[5].id}": known(-1)}
    page = with_stored(open_page, PATH, {**due, "place:flashcards": left})
    page.get_by_role("button", name="Review 2 due cards").click()
    expect(page.locator(".tw-ask__place").first).to_contain_text("2 cards left")
    answer(page, "Good")
    page.keyboard.press("Escape")
    page.reload()  # in the middle of the review
    page.get_by_role("button", name="Go on: 1 card left of 2").click()
    answer(page, "Good")
    expect(question(page)).to_have_text("That was the session")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Go on: 3 cards left of 10").click()
    expect(question(page)).to_have_text(CARDS[4].title)


def test_with_a_date_a_session_has_what_is_due_and_then_the_new_ones_of_that_day(open_page):
    topic = [q for q in SITE.questions if (q.level, q.topic) == ("mid", "autograd")]
    seen = {f"card:{topic[0].id}": known(-1), f"card:{topic[1].id}": known(3, last=-1e-5, reviews=1)}
    page = with_stored(open_page, f"{PATH}?topic=mid/autograd", seen)
    expect(counts(page)).to_contain_text(f"1 due, {len(topic) - 2} new")
    page.get_by_label("Interview on").fill((date.today() + timedelta(3)).isoformat())
    # One card was new today, so it counts for today's share.
    share = -(-(len(topic) - 1) // 3)
    expect(page.locator(".tw-overview .tw-plan")).to_contain_text(f"answer {share} new a day")
    expect(main_buttons(page).filter(has_text=f"{share} cards: 1 due, {share - 1} new")).to_have_count(1)
    page.get_by_role("button", name=re.compile("^Start")).click()
    queue = stored(page)["place:flashcards"]["queue"].split(",")
    assert queue == [question.id for question in [topic[0], *topic[2 : share + 1]]]


def test_once_the_new_ones_of_the_day_are_answered_it_says_so(open_page):
    topic = [q for q in SITE.questions if (q.level, q.topic) == ("mid", "autograd")]
    share = -(-len(topic) // 4)
    seen = {f"card:{one.id}": known(3, last=-1e-5, reviews=1) for one in topic[:share]}
    page = with_stored(open_page, f"{PATH}?topic=mid/autograd", seen)
    page.get_by_label("Interview on").fill((date.today() + timedelta(4)).isoformat())
    expect(page.locator(".tw-overview .tw-plan")).to_contain_text("You have done that for today.")


def test_filters_also_choose_the_topics_of_the_overview(open_page):
    page = open_page(PATH)
    rows = page.locator(".tw-by-topic tbody tr")
    expect(rows.first).to_be_visible()
    everything = rows.count()
    page.locator("select[name=level]").select_option("junior")
    topics = {(one.level, one.topic) for one in SITE.questions if one.level == "junior"}
    topics |= {one.topic for one in SITE.exercises if one.level == "junior"}
    expect(rows).to_have_count(len(topics))
    assert len(topics) < everything
