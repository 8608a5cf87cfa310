"""A session of predicting outputs: by keyboard, by typing, one program after the other."""

from __future__ import annotations

from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from practice_pages import stored
from predict_page import (
    IN_TOPIC,
    LISTED,
    PAGE,
    PUZZLES,
    RIGHT,
    TOPIC,
    WRONG,
    answer,
    choose,
    focus_is_in_the_app,
    key_of,
    shown,
    title,
    topic_of,
    verdict,
)
from warmup.project import SNIPPETS


def test_a_whole_session_by_keyboard(open_page):
    page = open_page(PAGE)
    expect(page.locator(".tw-where")).to_have_text(f"Program 1 of {len(PUZZLES)}")

    def tab_to(selector):
        # The setup has a link to each topic, and there is little else before the program.
        for _ in range(len({topic_of(puzzle) for puzzle in PUZZLES}) + 8):
            page.keyboard.press("Tab")
            if page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        pytest.fail(f"Tab does not reach {selector}")

    tab_to(".tw-setup summary")
    page.keyboard.press("Enter")
    tab_to("select[name=topic]")
    page.keyboard.type(IN_TOPIC[0].question.topic_label)
    expect(page.locator("select[name=topic]")).to_have_value(TOPIC)
    expect(page.locator(".tw-where")).to_have_text(f"Program 1 of {len(IN_TOPIC)}")
    tab_to(".tw-guess input")

    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text("Choose an output first.")
    first = title(page).inner_text()
    page.keyboard.press("1")
    page.keyboard.press("ArrowDown")
    expect(shown(page).locator("input").nth(1)).to_be_checked()
    answer(page, right=False)
    wrong = 1 if key_of(page) == 0 else 0
    guesses = shown(page).locator(".tw-guess")
    expect(guesses.nth(key_of(page))).to_contain_text("It prints this")
    expect(guesses.nth(wrong)).to_contain_text("You said this")
    expect(shown(page).locator(".tw-answer > :first-child")).to_have_attribute("data-choice", str(wrong))
    expect(shown(page).locator(".tw-answer > .tw-output")).to_contain_text("torch")
    expect(shown(page).locator("summary")).to_have_count(0)
    assert focus_is_in_the_app(page)
    page.keyboard.press("5")  # means nothing any more
    page.keyboard.press("Enter")
    expect(title(page)).not_to_have_text(first)
    expect(title(page)).to_be_focused()
    for _ in IN_TOPIC[1:]:
        answer(page, right=True)
        assert focus_is_in_the_app(page)
        page.keyboard.press("ArrowRight")

    expect(page.locator("#end h2")).to_be_focused()
    expect(page.locator("#end")).to_contain_text(
        f"You have answered {len(IN_TOPIC)} of these {len(IN_TOPIC)} programs, {len(IN_TOPIC) - 1} of them right"
    )
    row = page.locator(f"tr[data-topic='{TOPIC}'] td")
    expect(row).to_have_text([f"{len(IN_TOPIC)} of {len(IN_TOPIC)}", str(len(IN_TOPIC) - 1)])
    page.keyboard.press("Enter")  # the wrong ones again
    expect(title(page)).to_have_text(first)
    expect(page.locator(".tw-where")).to_have_text("Program 1 of 1")
    answer(page, right=True)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="The wrong ones again")).to_have_count(0)
    expect(row.last).to_have_text(str(len(IN_TOPIC) - 1))  # the first try stays what it was
    page.keyboard.press("Enter")  # from the start
    expect(page.locator(".tw-where")).to_have_text(f"Program 1 of {len(IN_TOPIC)}")


def leave_and_return(page: Page) -> None:
    """Show the end, then the program again, as if it had not been answered."""
    page.evaluate("location.hash = 'end'")
    expect(page.locator("#end")).to_be_visible()
    page.go_back()
    expect(verdict(page)).to_have_text("")


def test_typed_answers_are_compared_without_spacing(open_page):
    page = open_page(f"{PAGE}#{LISTED.slug}")
    outputs = LISTED.shuffled(SNIPPETS)
    key = next(output for output, wrong in outputs if wrong is None)
    other, number = next((output, number) for number, (output, wrong) in enumerate(outputs) if wrong)
    expect(shown(page)).to_be_visible()  # keys mean nothing before
    page.keyboard.press("t")
    field = page.get_by_label("What does it print?").and_(page.locator("textarea"))
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text("Type what it prints first.")
    expect(field).to_be_focused()
    field.fill(" " + key.replace(", ", " ,\n").replace("[", "[ "))
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text(RIGHT)
    assert stored(page, "puzzle")[LISTED.slug]["first"] is True

    leave_and_return(page)
    expect(field).to_be_hidden()  # each begins with its choices
    page.keyboard.press("t")
    field.fill(other)
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text(WRONG)
    expect(shown(page).locator(".tw-answer > :first-child")).to_have_attribute("data-choice", str(number))

    leave_and_return(page)
    page.keyboard.press("t")
    field.fill("<b>nothing like it</b>")
    page.get_by_role("button", name="Check").click()
    expect(verdict(page)).to_have_text(f"{WRONG} You typed <b>nothing like it</b>.")
    expect(shown(page).locator(".tw-answer > :first-child")).to_have_class("tw-output")
    assert {name: stored(page, "puzzle")[LISTED.slug][name] for name in ("tries", "right", "first", "last")} == {
        "tries": 3,
        "right": 1,
        "first": True,
        "last": False,
    }


def test_topics_take_turns_and_a_digit_is_a_choice_after_a_typed_answer(open_page, listed):
    levels = [p.question.level for p in listed]
    assert len([one for one, other in pairwise(levels) if one != other]) == len(set(levels)) - 1
    for level in set(levels):
        topics = [topic_of(p) for p in listed if p.question.level == level]
        together = sum(one == other for one, other in pairwise(topics))
        # As few as can be: where one topic has more than all others and one, the rest must follow itself.
        assert together == max(0, 2 * max(map(topics.count, topics)) - len(topics) - 1), level
    page = open_page(PAGE)
    expect(shown(page)).to_be_visible()
    page.keyboard.press("t")
    page.keyboard.type("no such output")
    page.keyboard.press("Enter")
    expect(verdict(page)).to_contain_text(WRONG)
    second = shown(page).locator("input").nth(1)
    for _ in range(2):
        page.keyboard.press("Enter")
        expect(second).to_be_enabled()  # the next one is there, which may be of a topic that has to be loaded
        page.keyboard.press("2")
        expect(second).to_be_checked()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("t")
        page.keyboard.type("x")
        page.keyboard.press("Enter")
        expect(verdict(page)).to_contain_text(WRONG)
    page.reload()
    expect(shown(page).locator("fieldset")).to_be_visible()


def test_what_can_be_chosen_is_on_the_first_screen_and_not_under_the_buttons(open_page, listed):
    page = open_page(f"{PAGE}#{listed[0].slug}")
    for puzzle in listed[:1] + sorted(listed, key=lambda p: len((SNIPPETS / p.program).read_text().splitlines()))[-3:]:
        page.evaluate("slug => { location.hash = slug }", puzzle.slug)
        expect(title(page)).to_have_attribute("id", puzzle.slug)
        assert page.evaluate("""() => {
            const guesses = [...document.querySelectorAll(".tw-puzzle .tw-guess")]
            return guesses.length > 2 && guesses.every(guess => {
                const { left, bottom } = guess.getBoundingClientRect()
                return document.elementFromPoint(left + 5, bottom - 3) === guess
            })
        }"""), puzzle.slug


def test_escape_leads_from_typing_back_to_choosing(open_page):
    page = open_page(PAGE)
    expect(shown(page)).to_be_visible()  # keys mean nothing before
    page.keyboard.press("t")
    page.keyboard.type("5 t")
    expect(page.locator("#typed")).to_have_value("5 t")
    page.keyboard.press("Escape")
    expect(shown(page).locator("fieldset")).to_be_visible()
    expect(page.locator("#typed")).to_be_hidden()
    assert focus_is_in_the_app(page)


def test_choosing_other_programs_leaves_an_open_answer_open(open_page):
    page = open_page(PAGE)
    answer(page, right=True)
    choose(page, "level", shown(page).get_attribute("data-level"))
    expect(shown(page).locator(".tw-answer")).to_be_visible()
    choose(page, "which", "wrong")
    expect(page.locator(".tw-chosen")).to_have_text("No program matches. Take one filter away.")


def test_arrows_scroll_code_that_has_the_focus(open_page):
    page = open_page(PAGE)
    answer(page, right=True)
    first = title(page).inner_text()
    page.locator(".tw-answer pre").first.evaluate("box => { box.tabIndex = 0; box.focus() }")
    page.keyboard.press("ArrowRight")
    page.evaluate("document.getElementById('predict').focus()")
    expect(title(page)).to_have_text(first)
    page.keyboard.press("ArrowRight")
    expect(title(page)).not_to_have_text(first)


@pytest.mark.parametrize("width", [1280, 360])
def test_each_program_can_be_downloaded(open_page, width):
    longest = max(PUZZLES, key=lambda puzzle: len(puzzle.program))
    page = open_page(f"{PAGE}#{longest.slug}", width=width)
    name = longest.program.rpartition("/")[2]
    link = shown(page).get_by_role("link", name=f"Download {name}")
    left, copy = (box.bounding_box() for box in (link, shown(page).get_by_role("button", name="Copy to clipboard")))
    assert left["x"] + left["width"] <= copy["x"], "The button to copy stands beside it."
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == name
    # In front of it stands what it is; see test_downloads.py.
    assert download.value.path().read_bytes().endswith((SNIPPETS / longest.program).read_bytes())
