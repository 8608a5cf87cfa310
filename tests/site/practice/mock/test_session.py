"""A mock interview from its first question to its summary."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from mock_page import CARDS, ONE, PAGE, SHORT, SITE, TWO, app, click, press, question, start
from practice_pages import stored


def test_a_whole_session_by_keyboard(open_page):
    page = open_page(f"{PAGE}?format=junior&minutes=10&seed=keys")
    expect(app(page).get_by_role("status").filter(has_text="questions,")).to_be_visible()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#mock [name=format]')"):
            break
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Mid A few")).to_be_checked()
    page.keyboard.press("ArrowUp")
    press(page, "Enter")
    question(page, 1)
    expect(page.get_by_role("heading", level=2)).to_be_focused()
    press(page, "Space")
    expect(app(page)).to_contain_text("Follow-up 1 of 2")
    expect(app(page).get_by_text("Say it")).to_have_count(0)
    press(page, "Space")
    expect(app(page)).to_contain_text("Follow-up 2 of 2")
    press(page, "Enter")
    for title in ("Say it", "The follow-ups", "The proof", "Listening for", "Rate your answer"):
        expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(app(page).locator(".tw-part h4")).to_have_count(2)
    press(page, "3", "2", "1")
    for row, grade in {"Correctness": "Strong", "Reasoning": "Good", "Communication": "Weak"}.items():
        expect(page.get_by_role("group", name=row).get_by_role("radio", name=grade)).to_be_checked()
    expect(page.get_by_role("button", name="Next question")).to_be_focused()
    page.keyboard.press("Enter")
    question(page, 2)
    press(page, "ArrowLeft")
    question(page, 1)
    expect(page.get_by_role("radio", name="Strong").first).to_be_checked()
    press(page, "ArrowRight")
    expect(page.get_by_role("button", name="Question 1, answered")).to_be_visible()
    expect(page.get_by_role("button", name="Question 2, begun")).to_have_attribute("aria-current", "step")
    press(page, "Space", "Space", "Space")
    expect(page.get_by_role("button", name="Finish")).to_be_visible()
    press(page, "1", "ArrowRight", "1", "1")
    press(page, "Space")
    expect(page.get_by_role("heading", name="Interview of")).to_be_focused()
    rows = {
        row.locator("th").inner_text(): row.locator("td").all_inner_texts()
        for row in app(page).locator("table").first.locator("tbody tr").all()
    }
    assert rows == {
        "Correctness": ["2 of 4", "1", "0", "1"],
        "Reasoning": ["1 of 4", "1", "1", "0"],
        "Communication": ["0 of 4", "2", "0", "0"],
    }
    topics = app(page).locator(".tw-topic tr:first-child td").all_inner_texts()
    assert topics == ["0 of 6", "3 of 6"], "the weakest topic comes first"
    page.get_by_role("button", name="New set").press("Enter")
    expect(page.get_by_role("heading", name="A new interview")).to_be_focused()
    assert [name for name, one in stored(page).items() if not one.get("gone")] == [
        name for name in stored(page) if name.startswith("interview:")
    ]


def test_a_button_does_by_its_key_what_it_does_by_a_click(open_page):
    page = open_page(f"{SHORT},junior/the-role/need-cuda".replace("minutes=15", "minutes=30"))
    expect(page.get_by_role("button", name="Start this set")).to_be_visible()
    assert page.evaluate("document.activeElement === document.body")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Start this set")).to_be_visible()
    page.keyboard.press("Enter")
    question(page, 1)
    # An answer that is not rated: both ask for a rating once, and then go on.
    for number, go_on in ((1, lambda: page.keyboard.press("Enter")), (2, lambda: click(page, "Next question"))):
        question(page, number)
        press(page, "Space", "Space", "Space")
        go_on()
        expect(app(page).locator(".tw-rubric").get_by_role("status")).to_contain_text("Nothing is rated yet")
        expect(page.get_by_role("radio", name="Weak").first).to_be_focused()
        question(page, number)
        go_on()
    question(page, 3)
    place = app(page).locator(".tw-ask__place").first.inner_text()
    assert place == "Question 3 of 3 · Junior · The role · Behavioral"
    page.goto(page.url.split("?")[0] + "?questions=senior/behavioral/fixed-a-memory-leak")
    start(page)
    assert app(page).locator(".tw-ask__place").first.inner_text() == "Question 1 of 1 · Senior · Behavioral"


def test_follow_ups_are_those_of_the_page_and_their_answers_wait(open_page):
    page = start(open_page(SHORT))
    answers = page.evaluate(
        "async id => (await (await fetch(`../proofs/${id.split('/').slice(0, 2).join('/')}.json`)).json())[id].next",
        ONE,
    )
    press(page, "Space")
    asked = []
    for number in (1, 2):
        expect(app(page)).to_contain_text(f"Follow-up {number} of 2")
        expect(app(page).locator(".tw-follow-up h3")).not_to_contain_text("Loading")
        asked.append(app(page).locator(".tw-follow-up h3").inner_html())
        press(page, "Space")
    assert len(set(asked)) == 2
    assert set(asked) <= {one["question"] for one in answers}
    expect(app(page).locator(".tw-part h4").first).to_be_visible()
    assert [one.inner_html() for one in app(page).locator(".tw-part h4").all()] == asked
    page.get_by_text("The code that ran").click()
    expect(app(page).locator("details .tw-output").first).to_be_visible()


def test_a_follow_up_that_needs_its_page_in_view_is_not_asked(open_page):
    page = open_page(SHORT)
    alone = page.evaluate(
        "async url => (await (await fetch(url)).json())", f"../proofs/{'/'.join(ONE.split('/')[:2])}.json"
    )
    for number, one in enumerate(alone[ONE]["next"]):
        one["here"] = number not in (1, 3)
    page.route("**/proofs/**", lambda route: route.fulfill(json=alone))
    start(page)
    for number in (1, 3):
        press(page, "Space")
        expect(app(page).locator(".tw-follow-up h3")).to_have_text(SITE.by_id[ONE].follow_ups[number].title)


def test_follow_ups_that_cannot_be_loaded_stop_nothing(open_page):
    page = open_page(PAGE, service_workers="block")
    page.route("**/proofs/**", lambda route: route.fulfill(status=404))
    page.goto(page.url + SHORT.removeprefix(PAGE))
    start(page)
    press(page, "Space")
    expect(app(page)).to_contain_text("The follow-up could not be loaded.")
    page.unroute("**/proofs/**")
    click(page, "Try again")
    expect(app(page).locator(".tw-follow-up h3")).to_contain_text("?")


def test_skipped_questions_and_an_early_end(open_page):
    page = start(open_page(SHORT))
    click(page, "Skip")
    question(page, 2)
    expect(page.get_by_role("button", name="Question 1, skipped")).to_be_visible()
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    click(page, "End interview")
    question(page, 2)
    page.once("dialog", lambda dialog: dialog.accept())
    click(page, "End interview")
    assert asked == ["2 questions not answered. End the interview?"]
    missed = app(page).locator("h2:has-text('Not answered') + ul li")
    assert missed.all_inner_texts() == [f"{CARDS[ONE].title} skipped", CARDS[TWO].title]
    expect(missed.first.get_by_role("link")).to_have_attribute("href", f"../../{ONE}/")
    click(page, "Same set again")
    question(page, 1)
    assert f"questions={ONE},{TWO}" in page.url


def test_the_summary_as_markdown_as_a_link_and_on_paper(open_page):
    page = open_page(SHORT, permissions=["clipboard-read", "clipboard-write"])
    start(page)
    press(page, "Space", "Space", "Space", "3", "3", "2")
    click(page, "Next question")
    click(page, "Skip")
    with page.expect_download() as download:
        click(page, "Download Markdown")
    assert re.fullmatch(r"mock-interview-\d{4}-\d\d-\d\d\.md", download.value.suggested_filename)
    text = download.value.path().read_text(encoding="utf-8")
    root = page.url.split("practice/")[0]
    title = CARDS[ONE].title.replace("_", "\\_")
    assert f"[The same set]({page.url})" in text
    assert "| Correctness | 2 of 2 | 0 | 0 | 1 |" in text
    assert f"### [Autograd]({root}junior/autograd/) (Junior): 5 of 6" in text
    assert f"- [{title}]({root}{ONE}/): correctness strong, reasoning strong, communication good; 0:0" in text
    assert f"## Not answered\n\n- [{CARDS[TWO].title}]({root}{TWO}/)\n" in text
    click(page, "Copy as Markdown")
    expect(app(page)).to_contain_text("The summary is copied.")
    assert page.evaluate("navigator.clipboard.readText()") == text
    click(page, "Copy link to this set")
    expect(app(page)).to_contain_text("The link is copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('denied')) }")
    click(page, "Copy as Markdown")
    expect(page.get_by_role("textbox", name="Text to copy")).to_have_value(text)
    expect(page.get_by_role("textbox", name="Text to copy")).to_be_focused()

    page.emulate_media(media="print")
    visible = page.locator("article :is(button, textarea, .tw-notice, h2):visible")
    assert [re.sub(r" of .*", "", one) for one in visible.all_inner_texts()] == [
        "Interview",
        "What to read, weakest topic first",
        "Not answered",
    ]
    expect(page.locator(".md-header")).to_be_hidden()


def test_without_javascript_the_page_says_what_it_needs(open_page):
    page = open_page(PAGE, javascript=False)
    expect(app(page).locator("noscript a")).to_be_visible()
    expect(page.get_by_role("heading", name="How it goes")).to_be_visible()
