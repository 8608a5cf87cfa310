"""What is due comes first, on a new day and in a session that was left; and what the next days bring."""

from __future__ import annotations

import time
from datetime import date, datetime, timedelta
from itertools import pairwise

from playwright.sync_api import expect

from flashcards_page import DAY, PATH, SITE, answer, counts, question
from practice_pages import stored, with_a_still_clock, with_stored

CARDS = [*SITE.questions, *SITE.exercises]
# What is left of a session: a card that was missed, and one that was not asked.
MISSED, UNSEEN = CARDS[4], CARDS[5]


def reviewed(due: float, last: float, grade: int = 3) -> dict:
    """A card that was last answered, and is due, so many days from now."""
    now = int(time.time() * 1000)
    at = int(now + last * DAY)
    memory = {"stability": 1, "difficulty": 5, "reviews": 1, "grade": grade}
    return {"at": at, "last": at, "due": int(now + due * DAY), **memory}


def left(*cards, days: float) -> dict:
    """A session that was left so many days ago."""
    at = int(time.time() * 1000 - days * DAY)
    return {"place:flashcards": {"at": at, "queue": ",".join(card.id for card in cards), "total": 20}}


def buttons(page) -> list[str]:
    expect(counts(page)).not_to_be_empty()  # shown together with the buttons
    return [text.removesuffix("Space") for text in page.locator(".tw-overview .tw-actions button").all_inner_texts()]


def yesterdays(open_page, path: str = PATH):
    """A session was left 26 hours ago; two of its cards are due, and one that was answered long ago."""
    return with_stored(
        open_page,
        path,
        {
            f"card:{CARDS[0].id}": reviewed(-3, -9),
            f"card:{CARDS[1].id}": reviewed(-26 / 24 + 1 - 0.05, -26 / 24),
            f"card:{MISSED.id}": reviewed(-1 / 24, -26 / 24, grade=1),
            f"card:{CARDS[2].id}": reviewed(1.9, -26 / 24),
            **left(UNSEEN, MISSED, days=26 / 24),
        },
    )


def test_on_a_new_day_the_first_button_reviews_all_that_is_due(open_page):
    page = yesterdays(open_page, f"{PATH}?topic={CARDS[-1].topic.replace(' ', '+')}")
    expect(counts(page)).to_contain_text("0 due")
    expect(counts(page)).to_contain_text("3 more are due outside of this choice.")
    assert buttons(page)[:2] == ["Review 3 due cards", "Go on: 4 cards left of 22, 3 due first"]
    page.keyboard.press("Space")
    for card in (CARDS[0], CARDS[1], MISSED):
        expect(question(page)).to_have_text(card.title)
        answer(page, "Good")
    expect(question(page)).to_have_text("That was the session")


def test_going_on_asks_first_what_has_become_due(open_page):
    page = yesterdays(open_page)
    page.get_by_role("button", name="Go on: 4 cards left of 22, 3 due first").click()
    for card in (CARDS[0], CARDS[1], MISSED, UNSEEN):
        expect(question(page)).to_have_text(card.title)
        answer(page, "Good")
    expect(question(page)).to_have_text("That was the session")


def test_on_the_same_day_one_goes_on_where_one_was(open_page):
    page = with_stored(open_page, PATH, {f"card:{MISSED.id}": reviewed(1, 0, grade=1), **left(UNSEEN, MISSED, days=0)})
    assert buttons(page) == ["Go on: 2 cards left of 20", "Start a new session of 20 cards: 1 due, 19 new"]
    page.keyboard.press("Space")
    expect(question(page)).to_have_text(UNSEEN.title)


def test_who_comes_earlier_in_the_day_finds_all_that_the_day_was_promised(open_page):
    """Answered in the evening, looked at in the next morning: what is due tomorrow is a day, and not an hour."""
    page = with_a_still_clock(open_page, PATH, at="2026-01-05T20:00:00")
    expect(counts(page)).to_contain_text("0 due")
    page.keyboard.press("Space")
    expect(question(page)).to_be_visible()
    first = question(page).inner_text()
    answer(page, "Hard")
    answer(page, "Hard")
    page.keyboard.press("Escape")
    rows = page.locator(".tw-forecast tbody .tw-number")
    expect(rows.nth(0)).to_have_text("0")
    expect(rows.nth(1)).to_have_text("2")
    page.clock.set_fixed_time("2026-01-06T07:00:00")
    # A tab that was left open notices the new day.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(rows.nth(0)).to_have_text("2")
    expect(rows.nth(1)).to_have_text("0")
    expect(counts(page)).to_contain_text("2 due")
    assert buttons(page)[0] == "Review 2 due cards"
    page.keyboard.press("Space")
    expect(question(page)).to_have_text(first)
    page.keyboard.press("Space")
    # A day has let the memory grow, though it was shorter than 24 hours.
    expect(page.get_by_role("button", name="Good")).not_to_contain_text("1 day")


def test_a_link_begins_with_what_is_due(open_page):
    page = yesterdays(open_page, f"{PATH}?start=due")
    expect(question(page)).to_have_text(CARDS[0].title)
    expect(page.locator(".tw-ask__place").first).to_contain_text("3 cards left")
    assert page.url.endswith(PATH)
    for _ in range(3):
        page.keyboard.press("Space")
        page.keyboard.press("4")
    page.goto(f"{page.url}?start=due")  # nothing is due any more
    expect(counts(page)).to_contain_text("0 due")


def test_length_order_and_filter_are_kept_and_new_cards_are_shuffled_within_their_level(open_page):
    page = open_page(PATH)
    page.get_by_label("Cards in a session").select_option("50")
    page.get_by_label("New cards come").select_option("down")
    page.locator("select[name=kind]").select_option("coding")
    page.goto(page.url.split("?")[0])
    expect(page.locator("select[name=kind]")).to_have_value("coding")
    page.keyboard.press("Space")
    queue = stored(page)["place:flashcards"]["queue"].split(",")
    site = [one.id for one in SITE.questions if one.kind == "coding"]
    assert len(queue) == 50
    levels = [level.slug for level in reversed(SITE.levels)]
    assert [levels.index(name.partition("/")[0]) for name in queue] == sorted(
        levels.index(name.partition("/")[0]) for name in queue
    )
    senior = [name for name in site if name.startswith(levels[0])]
    assert sorted(queue[: len(senior)]) == sorted(senior)
    mid = [name for name in queue if name.startswith("mid/")]
    topics = [name.rpartition("/")[0] for name in mid]
    assert len(set(topics)) < sum(one != other for one, other in pairwise(topics)), "topic after topic"


def test_the_next_days_and_what_an_interviews_date_asks_for(open_page):
    today = datetime.combine(date.today(), datetime.min.time()).timestamp()
    noon = (today + 43_200 - time.time()) / 86_400
    due = [-2, noon + 1, noon + 1, noon + 7, noon + 8]
    page = with_stored(
        open_page, PATH, {f"card:{card.id}": reviewed(days, -2) for card, days in zip(CARDS, due, strict=False)}
    )
    rows = page.locator(".tw-forecast tbody tr")
    expect(rows.locator(".tw-number")).to_have_text(["1", "2", "0", "0", "0", "0", "0", "1"])
    expect(rows.nth(1).get_by_role("rowheader")).to_have_text("Tomorrow")
    page.emulate_media(forced_colors="active")
    bar, part = (
        rows.nth(1).locator(one).evaluate("one => getComputedStyle(one).backgroundColor")
        for one in (".tw-bar", ".tw-bar > span")
    )
    assert bar != part, "Forced colors take backgrounds away."
    page.emulate_media(forced_colors="none")
    plan, fresh = page.locator(".tw-plan"), len(CARDS) - len(due)
    expect(plan).to_be_empty()
    for days, text in (
        (-1, "has passed"),
        (0, "is today"),
        (1, f"is tomorrow. To see each of the {fresh} new cards chosen above before it, answer {fresh} new a day"),
        (10, f"in 10 days. To see each of the {fresh} new cards chosen above before it, answer {-(-fresh // 10)} new"),
    ):
        page.get_by_label("Interview on").fill((date.today() + timedelta(days)).isoformat())
        expect(plan).to_contain_text(text)
    page.reload()
    expect(plan).to_contain_text("in 10 days")
