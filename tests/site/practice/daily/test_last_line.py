"""The last line of a day: what went better than the time before, what was done, and what comes back."""

from __future__ import annotations

import re

from daily_page import (
    MONDAY,
    PATH,
    SITE,
    WEDNESDAY,
    ZERO_GRAD,
    begin,
    card,
    day,
    end,
    finished,
    grade_all,
    on,
    opened_on,
    predict,
    say_it,
    whole_day,
)
from playwright.sync_api import expect

from practice_pages import with_stored


def test_what_was_weak_comes_again_and_the_end_says_that_it_went_better(open_page):
    question = {"at": 1, "read": True, "known": False, "notYet": True}
    said = {"at": 1, "words": [], "missed": [], "said": 0}
    before = finished(ZERO_GRAD)
    rest = [{**before, "question": one.id} for one in SITE.questions[-3:]]
    days = dict(zip(("2026-02-20", "2026-02-27", "2026-02-28", "2026-03-01"), [before, *rest], strict=True))
    page = opened_on(
        open_page,
        MONDAY,
        {
            f"question:{ZERO_GRAD}": question,
            f"words:{ZERO_GRAD}": said,
            **{f"day:{name}": entry for name, entry in days.items()},
        },
    )
    begin(page)
    grade_all(page)
    assert day(page, MONDAY)["why"] == "weak" and day(page, MONDAY)["question"] == ZERO_GRAD
    expect(page.locator(".tw-session")).to_contain_text("You could not say it the last time")
    say_it(page)
    predict(page)
    expect(end(page)).to_contain_text("Better than before: you could say an answer that you could not on February 20")
    expect(end(page)).to_contain_text(re.compile(r"you said (\d) of \1 words, none the time before"))


def test_a_card_that_was_missed_and_is_recalled_is_back(open_page):
    page = with_stored(open_page, PATH, {f"card:{SITE.questions[40].id}": card(-2, grade=1)})
    whole_day(page)
    expect(end(page)).to_contain_text("Better than before: 1 card that you had missed is back.")


def grade(page, key: str) -> None:
    page.keyboard.press("Space")
    expect(page.locator(".tw-grades")).to_be_visible()
    page.keyboard.press(key)
    expect(page.locator(".tw-grades")).to_have_count(0)


def test_cards_that_were_graded_before_a_reload_count_and_what_was_missed_is_asked_again(open_page):
    page = opened_on(open_page, MONDAY)
    begin(page)
    grade(page, "3")
    grade(page, "1")
    page.reload()
    expect(page.locator(".tw-about")).to_contain_text("Begun today, and left")
    expect(page.locator(".tw-has li").first).to_have_text("1 card that came due, and 1 new")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".tw-ask__place").first).to_contain_text("2 cards left")
    grade_all(page)
    page.reload()
    expect(page.locator(".tw-has li")).to_have_count(2)  # the cards are done
    page.get_by_role("button", name="Go on").click()
    say_it(page)
    predict(page)
    expect(end(page)).to_contain_text("Done today: 2 cards of 3 recalled, one answer said and one program predicted.")
    expect(end(page)).to_contain_text("To come back: 1 card.")


def test_what_was_missed_one_day_and_recalled_the_next_is_back(open_page):
    page = opened_on(open_page, MONDAY)
    begin(page)
    for key in "111333":  # what is missed is asked until it is not
        grade(page, key)
    page.keyboard.press("Space")
    say_it(page)
    predict(page)
    expect(end(page)).to_contain_text("Done today: 0 cards of 3 recalled")
    expect(end(page)).to_contain_text("To come back: 3 cards.")
    on(page, WEDNESDAY)
    page.reload()
    whole_day(page)
    monday, wednesday = (set(day(page, date)["cards"].split(",")) for date in (MONDAY, WEDNESDAY))
    assert len(monday & wednesday) >= 2  # one of them may have been the day's question
    expect(end(page)).to_contain_text(
        f"Better than before: {len(monday & wednesday)} cards that you had missed are back."
    )
    on(page, "2026-03-20")
    page.reload()
    whole_day(page)
    # What was recalled since is not back once more.
    back = len((monday - wednesday) & set(day(page, "2026-03-20")["cards"].split(",")))
    expect(end(page)).to_contain_text("1 card that you had missed is back" if back else "Done today")


def test_a_day_that_went_better_also_says_what_was_missed(open_page):
    page = with_stored(open_page, PATH, {f"card:{SITE.questions[40].id}": card(-2, grade=1)})
    begin(page)
    grade_all(page)
    say_it(page, "Not yet")
    predict(page, right=False)
    expect(end(page)).to_contain_text("Better than before: 1 card that you had missed is back.")
    expect(end(page)).to_contain_text("To come back: one answer and one program.")
