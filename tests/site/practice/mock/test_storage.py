"""What is kept of mock interviews, whatever the storage does, and in two tabs."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from mock_page import ONE, PAGE, SHORT, TWO, app, click, entry, press, put_and_reload, question, start
from practice_pages import block_storage, fill_storage, state, stored


def test_what_is_stored_is_checked_before_it_is_used(open_page):
    page = open_page(PAGE)
    put_and_reload(
        page,
        {
            "place:mock:1": entry(
                questions=[ONE, "gone/gone/gone", TWO, 7, None, ONE],
                steps=["wizard", 3],
                times="soon",
                correctness=[9, "odd"],
                current="last",
            ),
            "place:mock:2": entry(format="wizard"),
            "place:mock:3": entry(format=["junior"]),
            "place:mock:4": entry(questions=["gone/gone/gone"]),
            "place:mock:5": entry(questions={"length": 1}),
            "place:mock:6": entry(minutes="many"),
            "place:mock:7": {"at": 1},
            "place:flashcards": {"at": 1, "queue": ONE},
            "interview:1": entry(seed=5),
            "interview:2": {"at": 2},
        },
    )
    expect(page.get_by_role("button", name="Continue")).to_have_count(1)
    expect(app(page)).to_contain_text("question 1 of 2. 3 questions of it are not on this site any more.")
    expect(app(page).get_by_text("Your last interviews")).to_have_count(0)
    click(page, "Continue")
    question(page, 1)
    press(page, "Space")
    expect(app(page)).to_contain_text("Follow-up 1 of 2")


def test_a_cut_off_storage_gives_back_what_is_whole(open_page):
    page = open_page(PAGE)
    put_and_reload(page, state({"place:mock:1": entry(), "place:mock:2": entry()})[:-60])
    expect(app(page)).to_contain_text("Your stored progress was damaged")
    click(page, "Continue")
    question(page, 2)


def test_the_last_twenty_interviews_are_kept_and_open_again(open_page):
    page = open_page(SHORT)
    put_and_reload(page, {f"interview:{n}": entry(began=n, steps=["revealed"] * 2) for n in range(1, 26)})
    start(page)
    click(page, "Skip")
    click(page, "Skip")
    click(page, "New set")
    page.get_by_text("Your last interviews (20)").click()
    past = app(page).locator(".tw-past li")
    expect(past).to_have_count(20)
    expect(past.first).to_contain_text("Junior, 15 minutes: not rated")
    past.nth(1).get_by_role("button").click()
    expect(app(page)).to_contain_text("Your rating: 3 of 6 points")


def test_a_full_storage_stops_nothing(open_page):
    page = open_page(SHORT)
    fill_storage(page)
    start(page)
    expect(app(page)).to_contain_text("This browser's storage is full.")
    press(page, "Space", "Space", "Space", "3", "3", "3")
    click(page, "Next question")
    click(page, "Skip")
    expect(app(page)).to_contain_text("Your rating: 6 of 6 points")


def test_a_blocked_storage_stops_nothing(chromium, address):
    context = chromium.new_context()
    block_storage(context)
    page = context.new_page()
    page.goto(address + SHORT)
    expect(app(page)).to_contain_text("does not let the site store anything")
    start(page)
    click(page, "Skip")
    click(page, "Skip")
    expect(page.get_by_role("heading", name="Interview of")).to_be_visible()
    click(page, "New set")
    expect(app(page).get_by_text("Your last interviews (1)")).to_be_visible()
    context.close()


def test_two_tabs_with_an_interview_each(open_page):
    one = start(open_page(SHORT))
    two = one.context.new_page()
    two.goto(one.url.replace("seed=test", "seed=other"))
    expect(app(two)).to_contain_text("An unfinished interview")
    start(two)
    press(one, "Space")
    for page in (two, one):
        page.get_by_role("button", name=re.compile("^(Skip|Answered)$")).click()
    assert sum(name.startswith("place:mock:") for name in stored(one)) == 2
    click(two, "Skip")
    click(two, "New set")
    expect(two.get_by_role("button", name="Continue")).to_have_count(1)
    expect(app(one)).to_contain_text("Follow-up 2 of 2")
    one.once("dialog", lambda dialog: dialog.accept())
    click(one, "End interview")
    expect(two.get_by_role("button", name="Continue")).to_have_count(0)
    expect(app(two).get_by_text("Your last interviews (2)")).to_be_visible()


def test_one_interview_in_two_tabs(open_page):
    one = start(open_page(SHORT))
    two = one.context.new_page()
    two.goto(one.url)
    click(two, "Continue")
    press(two, "Space", "Space", "Space", "3")
    expect(one.get_by_role("group", name="Correctness").get_by_role("radio", name="Strong")).to_be_checked()
    click(two, "Question 2, not answered yet")
    press(two, "Space")
    expect(one.get_by_role("button", name="Question 2, begun")).to_be_visible()
    question(one, 1)
    press(two, "ArrowLeft")
    one.get_by_role("group", name="Reasoning").get_by_role("radio", name="Good").check()
    expect(two.get_by_role("group", name="Reasoning").get_by_role("radio", name="Good")).to_be_checked()
    two.once("dialog", lambda dialog: dialog.accept())
    click(two, "End interview")
    expect(app(one)).to_contain_text("This interview was finished in another tab.")
    expect(app(one)).to_contain_text("Your rating: 3 of 4 points")
