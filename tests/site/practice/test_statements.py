"""The ten statements of *What interviewers expect*: answered by click or key, scored by level; and without a script."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from practice_pages import check_on_a_phone, check_with_axe
from warmup.content import statements
from warmup.project import SNIPPETS

PAGE = "junior/the-role/what-interviewers-expect/"
RECORDED = statements.read((SNIPPETS / "junior/the-role/what_interviewers_expect_self_test.out").read_text())


def test_ten_statements_are_answered_by_click_and_by_key_and_scored_by_level(open_page):
    page = open_page(PAGE)
    items = page.locator(".tw-statements > li")
    assert items.locator(".tw-statement").all_inner_texts() == [text for _, _, text in RECORDED]
    counts = page.locator("article tbody").evaluate_all("tables => tables.map(table => table.rows.length)")
    assert counts.count(len(RECORDED)) == 1  # the one whose rows say where to read of each statement
    # The first is missed by click; the focus goes on to the next, where a key answers.
    truth = RECORDED[0][1]
    items.nth(0).get_by_role("button", name="False" if truth else "True").click()
    expect(items.nth(0).locator(".tw-verdict")).to_have_text(re.compile(r"^Wrong\. It is (true|false)\. Read .+\.$"))
    expect(page.locator(".tw-score")).to_contain_text(f"0 of 1 right, {len(RECORDED) - 1} to go.")
    for index, (_, is_true, text) in enumerate(RECORDED[1:], 1):
        expect(items.nth(index).locator("button").first).to_be_focused()
        assert items.nth(index).locator("button").first.get_attribute("aria-label") == f"True: {text}"
        page.keyboard.press(("t" if index % 2 else "y") if is_true else ("f" if index % 2 else "n"))
        expect(items.nth(index).locator("[aria-pressed=true]")).to_have_text("True" if is_true else "False")
    score = page.locator(".tw-score")
    expect(score).to_contain_text(f"{len(RECORDED) - 1} of {len(RECORDED)} right.")
    expect(score.get_by_role("button", name="Answer them again")).to_be_in_viewport(ratio=1)
    levels = [level for level, _, _ in RECORDED]
    expect(score.get_by_role("listitem")).to_have_text(
        [
            f"{level.capitalize()}: {levels.count(level) - (level == levels[0])} of {levels.count(level)}"
            for level in dict.fromkeys(levels)
        ]
    )
    expect(score.get_by_role("link")).to_have_count(1)
    expect(page).to_have_url(re.compile(PAGE))  # no key went to the site's own, as n for the next page
    check_with_axe(page, "answered", "article")
    page.set_viewport_size({"width": 390, "height": 844})
    check_on_a_phone(page, "answered", ".tw-judge button")
    score.get_by_role("button", name="Answer them again").click()
    expect(page.locator(".tw-statements [aria-pressed=true]")).to_have_count(0)
    expect(items.nth(0).locator("button").first).to_be_focused()


def test_without_a_script_the_statements_can_be_read_and_the_answers_stand_in_a_fold(open_page):
    page = open_page(PAGE, javascript=False)
    expect(page.locator(".tw-statements > li")).to_have_count(len(RECORDED))
    fold = page.locator("details", has_text="The answers, and the program that finds them")
    expect(fold.locator(".tw-output")).to_be_hidden()
    fold.locator("summary").click()
    expect(fold.locator(".tw-output")).to_contain_text(RECORDED[0][2])
