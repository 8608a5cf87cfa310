"""The overview of the flashcards: what is due, what is chosen, how far one is."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from flashcards_page import DAY, PATH, SITE, answer, counts, question, start
from practice_pages import KEY
from warmup.dev.bench_visits import opening_flashcards


def test_what_was_missed_today_is_due_today(open_page):
    page = open_page(f"{PATH}?topic=junior/saving")
    start(page)
    answer(page, "Again")
    answer(page, "Good")
    page.get_by_role("button", name="Stop").click()
    expect(counts(page)).to_contain_text(re.compile("^1 due, .* 1 known"))


def test_cards_come_back_when_they_are_due_most_overdue_first(open_page):
    page = open_page(f"{PATH}?topic=junior/saving")
    start(page)
    titles = []
    for grade in ("Good", "Hard"):
        titles.append(question(page).inner_text())
        answer(page, grade)
    page.get_by_role("button", name="Stop").click()
    expect(counts(page)).to_contain_text("0 due")
    # Three days later, as the browser that stored it sees it.
    page.evaluate(
        """([key, days]) => {
        const state = JSON.parse(localStorage.getItem(key))
        for (const entry of Object.values(state.entries)) for (const time of ["at", "last", "due"]) entry[time] -= days
        localStorage.setItem(key, JSON.stringify(state))
    }""",
        [KEY, 3 * DAY],
    )
    page.reload()
    expect(counts(page)).to_contain_text("2 due")
    page.get_by_role("button", name=re.compile("^Start a new session")).click()
    expect(question(page)).to_have_text(titles[1])  # hard: due after one day, good: after two
    answer(page, "Good")
    expect(question(page)).to_have_text(titles[0])


def test_filters_choose_cards_and_stand_in_the_address(open_page):
    page = open_page(f"{PATH}?level=junior&kind=nonsense")
    juniors = [q for q in (*SITE.questions, *SITE.exercises) if q.level == "junior"]
    expect(counts(page)).to_contain_text(f"{len(juniors)} new")
    page.locator("select[name=kind]").select_option("coding")
    coding = [q.title for q in SITE.questions if (q.level, q.kind) == ("junior", "coding")]
    expect(counts(page)).to_contain_text(f"{len(coding)} new")
    expect(page).to_have_url(re.compile(r"\?level=junior&kind=coding$"))
    start(page)
    assert question(page).inner_text() in coding


def test_progress_says_known_due_and_new_by_topic(open_page):
    page = open_page(f"{PATH}?topic=junior/autograd")
    start(page)
    for _ in range(2):
        answer(page, "Easy")
    page.get_by_role("button", name="Stop").click()
    row = page.locator(".tw-by-topic tbody tr", has_text="Autograd Junior")
    total = sum((q.level, q.topic) == ("junior", "autograd") for q in SITE.questions)
    assert row.locator(".tw-number").all_inner_texts() == ["2", "0", str(total - 2)]


# Counts calls of what takes time. `make bench` measures the time itself.
COUNT_WORK = """
    window.work = {}
    for (const [owner, name] of [[Document.prototype, "createElement"], [Storage.prototype, "getItem"],
                                 [Storage.prototype, "setItem"], [JSON, "parse"], [Map.prototype, "get"]]) {
        const original = owner[name]
        work[name] = 0
        owner[name] = function (...values) {
            work[name] += 1
            return original.apply(this, values)
        }
    }
"""


def test_five_times_the_cards_make_no_more_nodes_and_at_most_five_times_the_look_ups(open_page):
    work = []
    own = len(SITE.questions) + len(SITE.exercises)
    for cards in (own, 5 * own):
        page = open_page("404.html")
        page.add_init_script(COUNT_WORK)
        opening_flashcards(page, page.url.replace("404.html", PATH), cards)
        expect(counts(page)).to_contain_text(re.compile(r"\d+ due, \d+ new"))
        assert sum(map(int, re.findall(r"\d+", counts(page).inner_text())[:3])) == cards
        work.append(page.evaluate("work"))
    few, many = work
    assert few["createElement"] and few["getItem"] and few["get"]
    assert 0 < many.pop("get") <= 5 * few.pop("get")
    assert many == few
