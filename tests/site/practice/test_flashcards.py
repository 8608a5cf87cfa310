"""Flashcards as a reader uses them: by keyboard, by phone, in two tabs, over days, without a network."""

from __future__ import annotations

import json
import random
import re
from datetime import UTC, datetime, timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from fsrs import Card, Rating, Scheduler
from playwright.sync_api import expect

from warmup.content import levels
from warmup.dev.bench_visits import opening_flashcards

SITE = levels.load()
PATH = "practice/flashcards/"
KEY = "torch-warmup"
DAY = 86_400_000


def counts(page):
    return page.locator(".tw-counts-now")


def question(page):
    return page.locator("#flashcards h2")


def stored(page) -> dict:
    return json.loads(page.evaluate("key => localStorage.getItem(key) ?? '{\"entries\": {}}'", KEY))["entries"]


def start(page):
    page.get_by_role("button", name=re.compile("^Start")).click()
    expect(question(page)).to_be_visible()


def answer(page, grade: str) -> None:
    page.get_by_role("button", name="Reveal the answer").click()
    page.get_by_role("button", name=grade).click()


def test_schedule_is_the_one_of_py_fsrs(open_page):
    rng = random.Random(0)
    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    begin = datetime(2026, 11, 21, tzinfo=UTC)
    histories, expected = [], []
    for _ in range(300):
        card, now, history, states = Card(), begin, [], []
        for _ in range(rng.randint(1, 12)):
            grade = rng.choices((1, 2, 3, 4), (2, 1, 4, 1))[0]
            card, _ = scheduler.review_card(card, Rating(grade), now)
            history.append([grade, int(now.timestamp() * 1000)])
            states.append([card.stability, card.difficulty, int(card.due.timestamp() * 1000)])
            # Early, on time, late, and again within the same day.
            now += rng.choice((timedelta(minutes=10), timedelta(hours=30), card.due - now, (card.due - now) * 3))
        histories.append(history)
        expected.append(states)
    page = open_page(PATH)
    found = page.evaluate(
        """async ([url, histories]) => {
            const { review } = await import(url)
            return histories.map(history => {
                let memory
                return history.map(([grade, now]) => {
                    memory = review(memory, grade, now)
                    return [memory.stability, memory.difficulty, memory.due]
                })
            })
        }""",
        [page.url.split("practice/")[0] + "assets/javascripts/practice/fsrs.js", histories],
    )
    for mine, theirs in zip(found, expected, strict=True):
        for (stability, difficulty, due), reference in zip(mine, theirs, strict=True):
            assert stability == pytest.approx(reference[0], rel=1e-9)
            assert difficulty == pytest.approx(reference[1], rel=1e-9)
            assert due == reference[2]


def test_a_session_by_keyboard_alone(open_page):
    page = open_page(f"{PATH}?level=mid&topic=mid/data")
    total = sum(q.level == "mid" and q.topic == "data" for q in SITE.questions)
    expect(counts(page)).to_contain_text(f"0 due, {total} new, 0 known")
    page.locator("select[name=kind]").focus()
    page.keyboard.press("Tab")
    assert "Start" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    for left in range(total, 0, -1):
        expect(page.locator(".tw-ask__place")).to_contain_text(f"{left} card")
        expect(page.locator(".tw-say")).to_have_count(0)
        page.keyboard.press("Space")
        expect(page.locator(".tw-say")).not_to_be_empty()
        expect(page.locator(".tw-part .highlight code")).not_to_have_count(0)
        expect(page.locator(".tw-ladder li")).to_have_count(3)
        page.keyboard.press("3")
    expect(question(page)).to_have_text("That was the session")
    expect(page.locator(".tw-ask")).to_contain_text(f"good {total}")
    page.keyboard.press("u")
    expect(page.locator(".tw-ask__place")).to_contain_text("1 card left")
    page.keyboard.press("Enter")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(counts(page)).to_contain_text(f"0 due, 0 new, {total} known. Nothing is due here before")


def test_the_sites_own_keys_work_while_one_types_and_ours_only_in_the_cards(open_page):
    page = open_page(PATH)
    start(page)
    page.keyboard.press("Space")
    page.keyboard.press("/")  # the search
    page.keyboard.type("1 2 3 grad")
    expect(page.locator(".md-search__input")).to_have_value("1 2 3 grad")
    page.keyboard.press("Escape")
    assert not [name for name in stored(page) if name.startswith("card:")]


def test_again_comes_back_in_the_same_session_and_a_grade_can_be_undone(open_page):
    page = open_page(f"{PATH}?topic=junior/saving")
    start(page)
    first = question(page).inner_text()
    answer(page, "Again")
    expect(question(page)).not_to_have_text(first)
    page.get_by_role("button", name="Undo the last grade").click()
    expect(question(page)).to_have_text(first)
    assert stored(page)["card:" + next(q.id for q in SITE.questions if q.title == first)].get("gone")
    answer(page, "Again")
    seen = []
    while question(page).inner_text() != "That was the session":
        seen.append(question(page).inner_text())
        answer(page, "Good")
    assert seen.count(first) == 1
    assert seen[-1] == first
    expect(page.locator(".tw-ask")).to_contain_text("again 1")


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


def test_a_session_is_resumed_after_a_reload(open_page):
    page = open_page(PATH)
    start(page)
    answer(page, "Good")
    here = question(page).inner_text()
    page.reload()
    page.get_by_role("button", name="Go on: 19 cards left of 20").click()
    expect(question(page)).to_have_text(here)


@pytest.mark.parametrize(
    "place", [{"queue": "junior/nowhere/at-all,<img src=x>", "total": 2}, {"queue": 7}, {}, {"queue": "", "total": "x"}]
)
def test_a_place_that_cannot_be_resumed_is_not_offered(open_page, place):
    page = open_page("404.html")
    entry = {"version": 1, "since": 0, "entries": {"place:flashcards": {**place, "at": 1_700_000_000_000}}}
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, json.dumps(entry)])
    page.goto(page.url.replace("404.html", PATH))
    expect(page.get_by_role("button", name=re.compile("^Start with"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Go on"))).to_have_count(0)


def test_filters_choose_cards_and_stand_in_the_address(open_page):
    page = open_page(f"{PATH}?level=junior&kind=nonsense")
    juniors = [q for q in SITE.questions if q.level == "junior"]
    expect(counts(page)).to_contain_text(f"{len(juniors)} new")
    page.locator("select[name=kind]").select_option("coding")
    coding = [q.title for q in juniors if q.kind == "coding"]
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
    row = page.locator(".tw-progress tbody tr", has_text="Autograd Junior")
    total = sum((q.level, q.topic) == ("junior", "autograd") for q in SITE.questions)
    assert row.locator(".tw-number").all_inner_texts() == ["2", "0", str(total - 2)]


def test_two_tabs_share_their_progress(open_page):
    page = open_page(f"{PATH}?topic=junior/autograd")
    other = page.context.new_page()
    other.goto(page.url)
    start(page)
    start(other)
    first = question(page).inner_text()
    answer(page, "Good")
    second = question(page).inner_text()
    expect(question(other)).to_have_text(first)
    answer(other, "Easy")  # the same card, answered twice: the later answer counts
    # The second card has been graded nowhere yet; once it is here, the other tab does not ask it again.
    expect(question(other)).to_have_text(second)
    answer(other, "Good")
    answer(page, "Good")
    assert question(page).inner_text() not in (first, second)
    page.get_by_role("button", name="Stop").click()
    other.get_by_role("button", name="Stop").click()
    for tab in (page, other):
        expect(counts(tab)).to_contain_text("2 known")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_any_state(open_page, scheme):
    page = open_page(f"{PATH}?topic=junior/saving", scheme=scheme)
    expect(counts(page)).not_to_be_empty()

    def check():
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()

    check()
    start(page)
    check()
    page.get_by_role("button", name="Reveal the answer").click()
    expect(page.locator(".tw-part .highlight")).not_to_have_count(0)
    check()
    page.get_by_role("button", name="Good").click()
    while question(page).inner_text() != "That was the session":
        answer(page, "Good")
    check()


def test_fits_a_phone_in_every_state(open_page):
    page = open_page(f"{PATH}?topic=junior/saving", width=360, has_touch=True, is_mobile=True)

    def check():
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        for box in page.locator("#flashcards button:visible").all():
            assert box.bounding_box()["height"] >= 40

    check()
    start(page)
    check()
    page.get_by_role("button", name="Reveal the answer").tap()
    expect(page.locator(".tw-grades")).to_be_in_viewport()
    check()


@pytest.fixture
def online_page(chromium, address):
    """The practice page in a context with service workers, where a request that fails is no failure of the test."""
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(address + "practice/")
    yield page
    context.close()


def test_every_mode_works_without_a_network_after_one_visit(online_page):
    page = online_page
    expect(page.get_by_text("This browser now has all practice pages")).to_be_visible(timeout=20_000)
    page.context.set_offline(True)
    page.get_by_role("link", name="Flashcards").last.click()
    start(page)
    answer(page, "Good")
    page.reload()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Reveal the answer").click()
    expect(page.locator(".tw-part .highlight code")).not_to_have_count(0)
    page.goto(page.url.replace("flashcards", "predict"))
    page.get_by_role("button", name="Skip").click()
    page.goto(page.url.replace("predict", "mock").partition("#")[0])
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#mock")).to_have_attribute("data-view", "running")


def test_questions_that_do_not_load_can_be_asked_for_again(open_page):
    page = open_page("404.html")
    page.route("**/cards.json", lambda route: route.fulfill(status=404))
    page.goto(page.url.replace("404.html", PATH))
    expect(page.locator("#flashcards")).to_contain_text("could not be loaded")
    page.unroute("**/cards.json")
    page.get_by_role("button", name="Try again").click()
    start(page)


def test_a_proof_that_does_not_load_is_not_needed_to_grade(open_page):
    page = open_page("404.html")
    page.route("**/proofs.json", lambda route: route.fulfill(status=404))
    page.goto(page.url.replace("404.html", PATH))
    start(page)
    page.keyboard.press("Space")
    expect(page.locator(".tw-part", has_text="The proof")).to_contain_text("could not be loaded")
    page.unroute("**/proofs.json")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".tw-part .highlight code")).not_to_have_count(0)
    page.get_by_role("button", name="Good").click()
    assert sum(name.startswith("card:") for name in stored(page)) == 1


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
    for cards in (100, 500):
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


def test_without_javascript_the_page_says_where_the_answers_are(open_page):
    page = open_page(PATH, javascript=False)
    page.get_by_role("link", name="all questions").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("All questions")
