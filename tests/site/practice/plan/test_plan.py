"""From the front page to a plan in one click; ticks, what is remembered, what is due; and without a script."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

from practice_pages import check_on_a_phone, check_with_axe, put, stored, with_stored
from warmup.kinds import levels, navigation, plans

SITE = levels.load(topic_order=navigation.topic_order(navigation.read()))
PLANS = {plan.id: plan for plan in plans.plans(SITE)}
NOW = int(time.time() * 1000)


def titles(plan: plans.Plan) -> list[str]:
    return [question.title for question in plan.questions]


def test_one_click_leads_to_a_plan_whose_ticks_are_kept_counted_and_shown_on_the_question_s_page(open_page):
    page = open_page()
    expect(page.locator('[data-plan="days-senior"]')).to_contain_text(f"{PLANS['days-senior'].own} of them senior")
    expect(page.locator('[data-plan="weeks-mid"]')).not_to_contain_text("of them")
    page.get_by_role("link", name="Mid in two hours").click()
    expect(page).to_have_url(re.compile(r"plan/\?time=hours&level=mid#hours-mid$"))
    shown = page.locator(".tw-plan:visible")
    expect(shown).to_have_count(1)
    plan = PLANS["hours-mid"]
    assert shown.locator("[data-question] a").all_inner_texts() == titles(plan)
    expect(shown).to_contain_text(f"{plans.as_time(plan.reading)} to read, {plans.as_time(plan.speaking)} to say aloud")
    expect(page.locator("[data-plan][aria-current]")).to_have_text(re.compile("Mid in two hours"))
    first = plan.questions[0]
    box = page.get_by_role("checkbox", name=f"Read: {first.title}")
    box.focus()
    page.keyboard.press("Space")
    left = plans.as_time(plan.reading + plan.speaking - first.reading - first.minutes)
    expect(shown.get_by_role("status")).to_have_text(
        f"1 of {len(plan.questions)} read, 0 known. {left} of reading and speaking are left."
    )
    shown.get_by_role("link", name=first.title).click()
    expect(page.locator(".tw-chips").first).to_contain_text(f"{first.reading} min to read")
    expect(page.locator(".tw-cut").get_by_role("status")).to_have_text("Read.")
    page.get_by_role("button", name="Known").click()
    assert {key: stored(page, "question")[first.id][key] for key in ("read", "known")} == {"read": True, "known": True}
    page.get_by_role("link", name="Back to your plan").click()
    expect(shown.get_by_role("status")).to_contain_text(f"1 of {len(plan.questions)} read, 1 known.")
    check_with_axe(page, "plan")
    page.set_viewport_size({"width": 390, "height": 844})
    check_on_a_phone(page, "plan", ".tw-times a, .tw-ticks label")


def test_after_back_the_plan_shows_what_was_ticked_on_the_question_s_page(open_page):
    page = open_page("plan/?time=hours&level=junior")
    shown = page.locator(".tw-plan:visible")
    first = PLANS["hours-junior"].questions[0]
    box = shown.get_by_role("checkbox", name=f"Read: {first.title}")
    expect(box).not_to_be_checked()
    shown.get_by_role("link", name=first.title).click()
    page.get_by_role("button", name="Not yet").click()
    page.go_back()
    expect(shown.get_by_role("status")).to_contain_text("1 of ")
    expect(box).to_be_checked()
    # A page that the browser kept as it was hears of no change: a stale one would write its old tick over the new one.
    page.evaluate(
        """id => {
        const state = JSON.parse(localStorage.getItem("torch-warmup"))
        state.entries[`question:${id}`] = { read: true, known: true, at: Date.now() }
        localStorage.setItem("torch-warmup", JSON.stringify(state))
        dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
    }""",
        first.id,
    )
    expect(shown.get_by_role("checkbox", name=f"Known: {first.title}")).to_be_checked()


def test_a_question_s_page_leads_on_in_the_plan_past_what_is_read(open_page, address):
    page = open_page("plan/?time=hours&level=junior")
    questions = PLANS["hours-junior"].questions
    shown = page.locator(".tw-plan:visible")
    page.get_by_role("checkbox", name=f"Read: {questions[1].title}").check()
    shown.get_by_role("link", name=questions[0].title).click()
    on = page.get_by_role("link", name="Next in your plan")
    on.click()
    expect(page).to_have_url(f"{address}{questions[2].id}/")
    page.get_by_role("link", name="Back to your plan").click()
    expect(page).to_have_url(f"{address}plan/?time=hours&level=junior#hours-junior")
    # The last one of the plan leads back only, and so does a page that is not in it.
    for end in (questions[-1].id, "junior/tensors/cuda-vs-to"):
        page.goto(f"{address}{end}/")
        expect(page.get_by_role("link", name="Back to your plan")).to_be_visible()
        expect(on).to_have_count(0)


def test_ticks_and_the_chosen_plan_travel_in_the_progress_file(open_page, address, tmp_path):
    page = open_page("plan/?time=hours&level=senior")
    first, second = PLANS["hours-senior"].questions[:2]
    page.get_by_role("checkbox", name=f"Read: {first.title}").check()
    page.get_by_role("checkbox", name=f"Known: {second.title}").check()
    page.goto(f"{address}practice/")
    with page.expect_download() as download:
        page.get_by_role("button", name="Write to a file").click()
    download.value.save_as(tmp_path / "progress.json")

    def shows_both(page):
        page.goto(f"{address}plan/")
        shown = page.locator(".tw-plan:visible")
        expect(shown.locator("h2")).to_have_text("Senior in two hours")
        expect(shown.get_by_role("status")).to_contain_text(
            f"1 of {len(PLANS['hours-senior'].questions)} read, 1 known."
        )
        expect(page.get_by_role("checkbox", name=f"Known: {second.title}")).to_be_checked()

    other = open_page("practice/")
    other.locator("input[type=file]").set_input_files(tmp_path / "progress.json")
    expect(other.get_by_role("status").filter(has_text="Read 3 entries.")).to_be_visible()
    shows_both(other)
    # What is forgotten is gone everywhere, and the file brings it back.
    other.goto(f"{address}practice/")
    other.get_by_role("button", name="Forget everything").click()
    other.get_by_role("button", name="Forget it").click()
    expect(other.locator("#progress")).to_contain_text("0 questions read, 0 known")
    other.locator("input[type=file]").set_input_files(tmp_path / "progress.json")
    expect(other.locator("#progress")).to_contain_text("1 question read, 1 known")
    shows_both(other)


def test_the_front_page_shows_due_cards_and_the_plan_that_was_chosen_and_practice_counts_the_ticks(open_page, address):
    memory = {"last": 1, "stability": 1, "difficulty": 5, "reviews": 1, "grade": 3, "at": NOW}
    page = with_stored(
        open_page,
        "",
        {
            "card:junior/autograd/zero-grad": {**memory, "due": 2},
            "card:junior/autograd/no-grad": {**memory, "due": NOW + 9 * 86_400_000, "grade": 1},
            "card:junior/autograd/requires-grad": {**memory, "due": NOW + 9 * 86_400_000},
            "question:junior/autograd/zero-grad": {"read": True, "known": False, "at": NOW},
            "place:plan": {"time": "weeks", "level": "senior", "at": NOW},
        },
    )
    due = page.get_by_role("link", name="2 cards are due today")
    expect(due).to_have_attribute("href", "practice/flashcards/?start=due")
    check_with_axe(page, "front")
    page.get_by_role("link", name="Go on: Senior in two weeks").click()
    expect(page.locator(".tw-plan:visible")).to_have_count(1)
    expect(page.locator("#weeks-senior")).to_be_visible()
    page.goto(f"{address}plan/")  # without a choice in the address, what was chosen last
    expect(page.locator(".tw-plan:visible")).to_have_count(1)
    expect(page.locator("#weeks-senior")).to_be_visible()
    page.goto(f"{address}practice/")
    expect(page.locator("#progress")).to_contain_text("1 question read, 0 known")
    put(page, {})
    page.goto(address)
    expect(page.locator(".tw-today")).to_be_hidden()


def test_a_card_whose_page_is_gone_is_not_due_once_the_cards_were_seen(open_page, address):
    memory = {"last": 1, "due": 2, "stability": 1, "difficulty": 5, "reviews": 1, "grade": 3, "at": NOW}
    entries = {"card:mid/autograd/a-name-of-last-year": memory, "card:junior/autograd/zero-grad": memory}
    page = with_stored(open_page, "", entries)
    page.get_by_role("link", name="due today").click()
    expect(page.locator(".tw-ask")).to_contain_text("1 card left")
    page.goto(address)
    expect(page.get_by_role("link", name="1 card is due today")).to_be_visible()
    page.goto(f"{address}practice/")
    expect(page.locator("#progress")).to_contain_text("2 flashcards answered, 1 of them due again")
    assert "mid/autograd/a-name-of-last-year" in stored(page, "card")  # another release may bring it back


def test_a_plan_of_days_tells_where_to_go_on_and_which_code_is_done_and_that_page_leads_back(open_page, address):
    plan = PLANS["weeks-mid"]
    second_day = plan.parts[1]
    page = open_page("plan/?time=weeks&level=mid")
    shown = page.locator(".tw-plan:visible")
    status, on = shown.get_by_role("status"), shown.locator(".tw-plan__next")
    expect(status).to_contain_text(f"0 of {len(plan.drills)} pieces of code done.")
    expect(on).to_be_hidden()
    for question in plan.parts[0].questions:
        page.get_by_role("checkbox", name=f"Read: {question.title}").check()
    # The day ends with code, and no later question comes before it.
    first = plan.parts[0].drills[0]
    expect(on).to_have_text(f"Next, on Day 1: {first.invitation}: {first.short}")
    on.get_by_role("link", name=first.short).click()
    page.get_by_role("button", name="Mark as done").click()
    page.get_by_role("link", name="Back to your plan").click()
    expect(on).to_have_text(f"Next, on {second_day.name}: {second_day.questions[0].title}")
    on.get_by_role("link", name=second_day.name).click()
    expect(shown.locator("h3", has_text=second_day.name).first).to_be_in_viewport()
    check_with_axe(page, "plan, begun")
    exercise = plan.drills[1]
    name = f"{exercise.invitation}: {exercise.short}"
    shown.get_by_role("link", name=name).click()
    page.get_by_role("button", name="Mark as done").click()
    page.get_by_role("link", name="Back to your plan").click()
    expect(page).to_have_url(f"{address}plan/?time=weeks&level=mid#weeks-mid")
    expect(shown.get_by_role("listitem").filter(has_text=name)).to_contain_text(f"Done · {exercise.minutes} min")
    expect(status).to_contain_text(f"2 of {len(plan.drills)} pieces of code done.")


def test_a_plan_of_two_hours_ends_with_the_sheet_and_puzzles_and_its_lines_look_like_links(open_page, address):
    page = open_page("plan/?time=hours&level=junior")
    lines = page.locator(".tw-plan:visible li > a")
    assert lines.all_inner_texts()[-2:] == ["The cheat sheet, once through", "Predict the output: one round"]
    assert set(lines.evaluate_all("all => all.map(one => getComputedStyle(one).textDecorationLine)")) == {"underline"}
    lines.nth(-2).click()
    expect(page).to_have_url(f"{address}junior/sheet/")


def test_a_plan_s_mock_interview_has_the_format_that_it_says(open_page):
    page = open_page("plan/?time=weeks&level=senior")
    plan = page.locator(".tw-plan:visible")
    for said, chosen in (
        ("and a look", "Senior "),
        ("system design", "System design "),
        ("three stories", "Behavioral "),
    ):
        plan.get_by_role("link", name=re.compile(f"^Mock interview.*{said}")).first.click()
        expect(page.get_by_role("radio", name=re.compile(f"^{chosen}"))).to_be_checked()
        page.go_back()


@pytest.mark.parametrize("query", ["?time=years&level=mid", "?time=hours&level=%3Cb%3E", ""])
def test_what_the_address_invents_is_the_first_plan_and_is_not_remembered(open_page, query):
    page = open_page(f"plan/{query}")
    expect(page.locator(".tw-plan:visible")).to_have_count(1)
    expect(page.locator(f"#{next(iter(PLANS))}")).to_be_visible()
    assert not stored(page)


def test_without_a_script_every_plan_is_there_and_the_front_page_leads_to_each(open_page):
    page = open_page(javascript=False)
    page.get_by_role("link", name="Junior in two days").click()
    expect(page).to_have_url(re.compile("#days-junior$"))
    expect(page.locator(".tw-plan")).to_have_count(len(PLANS))
    for name in ("hours-junior", "weeks-senior"):
        expect(page.locator(f"#{name} [data-question] a")).to_have_text(titles(PLANS[name]))
    expect(page.locator("#days-junior h3")).to_have_text([re.compile(r"^Day 1 \d+ h"), re.compile(r"^Day 2 \d+ h")])
    expect(page.locator("#days-junior")).to_contain_text("Mock interview")
