"""What is noted of a checklist of words, and the report of those that one keeps leaving out."""

from __future__ import annotations

import daily_page
import pytest
from playwright.sync_api import expect

import mock_page
from practice_pages import stored, with_stored
from warmup.kinds import levels

QUESTION = next(one for one in levels.load().questions if one.id == "junior/autograd/zero-grad")
FLASHCARDS = "practice/flashcards/?topic=junior/autograd"


def noted(page) -> dict | None:
    found = stored(page, "words")
    return next(iter(found.values()), None)


def reveal(page):
    page.get_by_role("button", name="Start").first.click()
    page.get_by_role("button", name="Reveal the answer").click()
    return page.locator(".tw-terms input")


def test_flashcards_note_what_was_ticked_and_undo_forgets_it(open_page):
    page = open_page(FLASHCARDS)
    boxes = reveal(page)
    boxes.first.check()
    count = boxes.count()
    page.get_by_role("button", name="Good").click()
    entry = noted(page)
    assert entry["said"] == 1 and entry["missed"] == [0, *[1] * (count - 1)]
    page.get_by_role("button", name="Undo the last grade").click()
    assert noted(page)["gone"]


@pytest.mark.parametrize("grade", ["Good", "Again"])
def test_who_ticks_nothing_has_not_used_the_list(open_page, grade):
    page = open_page(FLASHCARDS)
    reveal(page)
    page.get_by_role("button", name=grade).click()
    assert noted(page) is None


def test_in_the_warmup_not_yet_without_a_tick_says_that_no_word_was_said(open_page):
    page = open_page(daily_page.PATH)
    daily_page.begin(page)
    daily_page.grade_all(page)
    daily_page.say_it(page, "Not yet", words=0)
    daily_page.expect_view(page, "program")
    assert noted(page)["said"] == 0 and set(noted(page)["missed"]) == {1}


def test_a_mock_interview_notes_them_once(open_page):
    page = mock_page.start(open_page(mock_page.SHORT))
    for _ in range(3):
        page.keyboard.press("Space")
    page.locator(".tw-terms input").first.check()
    page.locator(".tw-rubric input").first.check()
    for _ in range(2):  # one can come back to an answer
        page.get_by_role("button", name="Next question").click()
        mock_page.question(page, 2)
        assert noted(page)["said"] == 1 and set(noted(page)["missed"]) == {0, 1}
        page.keyboard.press("ArrowLeft")
        mock_page.question(page, 1)


def entry(*missed: int) -> dict:
    return {"at": 1, "words": ["one", "two %7B"], "missed": list(missed), "said": 0}


def test_the_report_has_what_was_left_out_at_least_twice_the_most_often_first(open_page):
    page = with_stored(
        open_page,
        "practice/",
        {f"words:{QUESTION.id}": entry(2, 3), "words:gone/from/here": entry(0, 2), "words:x": entry(1, 1)},
    )
    rows = page.locator("#words tbody tr")
    expect(rows).to_have_count(3)
    assert [text.split("\t") for text in rows.all_inner_texts()] == [
        ["two {", QUESTION.title, "3"],
        ["one", QUESTION.title, "2"],
        ["two {", "gone/from/here", "2"],
    ]
    expect(rows.first.get_by_role("link")).to_have_attribute("href", "../../junior/autograd/zero-grad/")


def test_without_such_words_there_is_no_report_and_no_card_is_loaded(open_page):
    page = open_page("404.html")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page.url.replace("404.html", "practice/"))
    expect(page.locator("#progress")).to_be_visible()
    expect(page.locator("#words")).to_be_hidden()
    assert not [url for url in asked if url.endswith("cards.json")]
