"""Exercises in a mock interview: written on their own page, while the clock runs here."""

from __future__ import annotations

import re
from functools import partial

import pytest
from playwright.sync_api import expect

from mock_page import CARDS, ONE, PAGE, SITE, app, click, press, question, start
from practice_pages import check_on_a_phone, check_with_axe, stored

EXERCISE = SITE.exercises[0]
LINK = f"{PAGE}?format={EXERCISE.level}&minutes=60&seed=test&questions={EXERCISE.id},{ONE}"


def reveal(page) -> None:
    press(page, "Space")
    expect(app(page).locator(".tw-follow-up h3")).not_to_contain_text("Loading")
    press(page, "Space", "Space")
    expect(page.get_by_role("heading", name="The solution")).to_be_visible()
    page.get_by_text("One solution, and why").click()
    expect(app(page).locator("details .highlight").first).to_be_visible()


def test_an_exercise_from_its_task_to_the_summary(open_page):
    page = open_page(LINK)
    expect(app(page)).to_contain_text("2 questions.")
    start(page)
    question(page, 1)
    expect(app(page).locator(".tw-ask__place")).to_contain_text(f"{EXERCISE.level_label} · {EXERCISE.topic}")
    expect(page.get_by_role("heading", level=2)).to_have_text(EXERCISE.title)
    expect(app(page)).to_contain_text(f"{EXERCISE.minutes} minutes.")
    expect(page.get_by_role("timer", name="Time for this question")).to_contain_text(
        re.compile(f"^({EXERCISE.minutes + 2}:00|{EXERCISE.minutes + 1}:5.) left")
    )
    answers = page.evaluate(
        "async id => (await (await fetch('../proofs/practice/write.json')).json())[id].next", EXERCISE.id
    )
    asked = []
    for number in (1, 2):
        press(page, "Space")
        expect(app(page)).to_contain_text(f"Follow-up {number} of 2")
        expect(app(page).locator(".tw-follow-up h3")).not_to_contain_text("Loading")
        asked.append(app(page).locator(".tw-follow-up h3").inner_html())
    assert len(set(asked)) == 2 and set(asked) <= {one["question"] for one in answers}
    expect(app(page).get_by_role("link", name="Open the exercise in a new tab")).to_be_visible()
    press(page, "Space")
    expect(page.get_by_role("heading", name="The core line")).to_be_focused()
    expect(app(page).get_by_role("link", name="Open the exercise")).to_have_count(0)
    core = app(page).locator(".tw-part", has_text="The core line")
    expect(core.locator("code").first).to_contain_text(EXERCISE.line.splitlines()[0].strip())
    expect(core.get_by_role("link")).to_have_attribute("href", f"../write/{EXERCISE.slug}/")
    expect(app(page).locator(".tw-ladder li")).to_have_count(3)
    page.get_by_text("One solution, and why").click()
    solution = app(page).locator("details").filter(has_text="One solution")
    expect(solution.locator(".highlight").first).to_be_visible()
    expect(solution.locator("summary", has_text="What people write instead")).to_be_visible()
    press(page, "3", "2", "1")
    click(page, "Next question")
    question(page, 2)
    click(page, "Skip")
    topic = app(page).locator(".tw-topic")
    expect(topic).to_contain_text(f"{EXERCISE.topic} Write from memory")
    expect(topic.get_by_role("link", name=EXERCISE.title)).to_have_attribute("href", f"../write/{EXERCISE.slug}/")
    with page.expect_download() as download:
        click(page, "Download Markdown")
    text = download.value.path().read_text(encoding="utf-8")
    root = page.url.split("practice/")[0]
    assert f"### [{EXERCISE.topic}]({root}practice/write/) (Write from memory): 3 of 6" in text
    assert f"]({root}{EXERCISE.url}): correctness strong, reasoning good, communication weak" in text
    assert page.url.endswith(f"questions={EXERCISE.id},{ONE}")
    click(page, "Same set again")
    expect(page.get_by_role("heading", level=2)).to_have_text(EXERCISE.title)


def test_it_is_written_in_another_tab_and_the_clock_runs_here(open_page):
    page = start(open_page(LINK))
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open the exercise in a new tab").click()
    other = opened.value
    expect(other).to_have_url(re.compile(f"/{EXERCISE.url}$"))
    other.get_by_role("button", name="Mark as done").click()
    other.close()
    expect(page.get_by_role("timer", name="Time for this question")).not_to_contain_text(f"{EXERCISE.minutes + 2}:00")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert stored(page)[f"write:{EXERCISE.slug}"]["done"]


def test_a_link_from_before_keeps_its_questions_and_an_interview_with_an_exercise_goes_on(open_page):
    page = start(open_page(f"{PAGE}?format=mid&minutes=60&seed=test&questions={ONE}"))
    expect(page.get_by_role("heading", level=2)).to_have_text(CARDS[ONE].title)
    expect(app(page).get_by_role("link", name="Open the exercise")).to_have_count(0)
    page.goto(page.url.split("practice/")[0] + LINK)
    click(page, "Start this set")
    press(page, "Space")
    page.reload()
    page.get_by_role("button", name="Continue").first.click()
    expect(page.get_by_role("heading", level=2)).to_have_text(EXERCISE.title)
    expect(app(page)).to_contain_text("Follow-up 1 of 2")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(open_page, scheme):
    page = start(partial(open_page, scheme=scheme, width=390)(LINK))
    check_with_axe(page, "asked", colors_only=scheme == "dark")
    reveal(page)
    check_with_axe(page, "revealed", colors_only=scheme == "dark")
    check_on_a_phone(page, "revealed", "#mock :is(button, .tw-view label:not(.tw-fields *), summary)")
