"""What one writes in a mock interview, what was missing, and how it comes back as flashcards."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from mock_page import CARDS, ONE, PAGE, app, click, press, question, start
from practice_pages import check_with_axe, stored

CODING, WEAK = "junior/data-loading/custom-dataset", "junior/tensors/stack-vs-cat"
LINK = f"{PAGE}?format=junior&minutes=30&seed=notes&questions={CODING},{WEAK},{ONE}"
CODE = "class Files(Dataset):\n    def __len__(self):\n        return len({*self.paths}) % 100"
NOTES = "1. Say `len` first; 2 kinds of * keys\n100%25 of it"


def test_what_one_writes_stays_with_the_interview(open_page):
    page = start(open_page(LINK))
    code, notes = page.get_by_label("Your code"), page.get_by_label("Notes")
    code.fill(CODE)
    notes.click()
    page.keyboard.insert_text(NOTES)
    page.keyboard.press("k")  # typed, as each other key is
    page.keyboard.press("Space")
    page.keyboard.press("1")
    question(page, 1)
    expect(notes).to_have_value(f"{NOTES}k 1")
    page.keyboard.press("Escape")
    expect(app(page)).to_be_focused()
    page.reload()
    click(page, "Continue")
    expect(code).to_have_value(CODE)
    press(page, "Space", "Space", "Space")
    expect(code).to_have_value(CODE)
    expect(page.get_by_label("What was missing")).to_have_value(f"{NOTES}k 1")
    check_with_axe(page, "revealed with notes and code")
    press(page, "3", "3", "3", "Enter")
    expect(page.get_by_label("Your code")).to_have_count(0)
    press(page, "Space", "Space", "Space", "1", "2", "1", "Enter")
    click(page, "Skip")
    missing = app(page).locator(".tw-missed > li")
    expect(missing).to_have_count(2)
    expect(missing.first).to_contain_text(NOTES)
    expect(missing.first.locator("pre")).to_have_text(CODE)
    expect(missing.last).to_contain_text(f"{CARDS[WEAK].title} weak: correctness, communication")
    missing.last.get_by_text("What an interviewer listens for").click()
    expect(missing.last.get_by_role("listitem")).to_have_count(3)
    check_with_axe(page, "summary with notes, code and weak answers")
    with page.expect_download() as download:
        click(page, "Download Markdown")
    text = download.value.path().read_text(encoding="utf-8")
    assert f"```python\n{CODE}\n```\n" in text
    assert "\n> 1. Say \\`len\\` first; 2 kinds of \\* keys\n> 100%25 of itk 1\n" in text
    assert re.search(rf"### \[.*\]\(.*{WEAK}/\): weak in correctness, communication\n", text)
    # Entries are found by their braces where the stored text is damaged.
    assert not re.search(r"[{}]", str(list(stored(page, "interview").values())[0].values()))


def test_weak_answers_become_due_as_flashcards_and_can_be_taken_back(open_page):
    page = start(open_page(f"{PAGE}?format=junior&minutes=30&seed=weak&questions={WEAK},{ONE}"))
    press(page, "Space", "Space", "Space", "2", "1", "3", "Enter")
    click(page, "Skip")
    again = app(page).locator(".tw-again")
    expect(again.get_by_role("checkbox", name=CARDS[WEAK].title)).to_be_checked()
    expect(again.get_by_role("checkbox", name=CARDS[ONE].title)).to_be_checked()  # it was not answered
    click(page, "Make them due")
    expect(again).to_contain_text("2 flashcards are due now.")
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    assert all(entry.get("gone") for entry in stored(page, "card").values())
    expect(page.get_by_role("button", name="Make them due")).to_be_focused()
    again.get_by_role("checkbox", name=CARDS[ONE].title).uncheck()
    click(page, "Make them due")
    expect(again).to_contain_text("1 flashcard is due now.")
    cards = {id: entry for id, entry in stored(page, "card").items() if not entry.get("gone")}
    assert {id: (entry["grade"], entry["reviews"]) for id, entry in cards.items()} == {WEAK: (1, 1)}
    # Another visit does not grade it once more.
    page.reload()
    page.get_by_text("Your last interviews").click()
    app(page).locator(".tw-past button").click()
    expect(again.get_by_role("checkbox", name=CARDS[WEAK].title)).to_be_disabled()
    expect(again).to_contain_text("due already")
    again.get_by_role("checkbox", name=CARDS[ONE].title).uncheck()
    click(page, "Make them due")
    expect(again).to_contain_text("No question is ticked.")
    page.goto(page.url.split("mock/")[0] + "flashcards/")
    expect(page.locator("#flashcards")).to_contain_text(re.compile(r"\b1 (card )?due|due[^.]*\b1\b", re.I))
