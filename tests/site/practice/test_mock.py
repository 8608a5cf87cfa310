"""The mock interview: how a set is drawn, the clocks, a session by keyboard, and whatever can be wrong around it."""

from __future__ import annotations

import json
import re
import time
from collections import Counter, defaultdict

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from warmup.content import levels
from warmup.dev import browser

PAGE = "practice/mock/"
CARDS = {q.id: q for q in levels.load().questions}
# Two short questions, by their addresses, so that a session is quick and does not change with the site.
ONE, TWO = "junior/autograd/zero-grad", "junior/tensors/stack-vs-cat"
SHORT = f"{PAGE}?format=junior&minutes=15&seed=test&questions={ONE},{TWO}"
IMPORT = "await import(new URL('../../assets/javascripts/practice/interview.js', location.href))"


def app(page):
    return page.locator("#mock")


def press(page, *keys: str) -> None:
    """Press keys one after the other; each leaves the focus inside the app."""
    for key in keys:
        page.keyboard.press(key)
        assert page.evaluate("document.getElementById('mock').contains(document.activeElement)"), f"focus lost by {key}"


def click(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def start(page, name: str = "Start this set"):
    click(page, name)
    expect(app(page)).to_have_attribute("data-view", "running")
    return page


def question(page, number: int):
    expect(app(page).locator(".tw-ask__place").first).to_contain_text(f"Question {number} of ")


def stored(page) -> dict:
    return page.evaluate("JSON.parse(localStorage.getItem('torch-warmup') ?? '{\"entries\": {}}').entries")


def entry(**changes) -> dict:
    """An unfinished interview as the site stores it."""
    return {
        "began": 1,
        "format": "junior",
        "minutes": 15,
        "seed": "a",
        "current": 1,
        "questions": [ONE, TWO],
        "steps": ["revealed", "follow-1"],
        "times": [30_000, 61_000],
        "correctness": [2, None],
        "reasoning": [1, None],
        "communication": [0, None],
        "at": int(time.time() * 1000),
        **changes,
    }


def put(page, entries: dict) -> None:
    text = json.dumps({"version": 1, "since": 0, "entries": entries})
    page.evaluate("text => localStorage.setItem('torch-warmup', text)", text)
    page.reload()


# ---------- The set ----------


def draw(page, cards: str, formats: list[str], minutes: list[int], seeds: int) -> list[dict]:
    return page.evaluate(
        f"""async ([formats, minutes, seeds]) => {{
        const {{ choose }} = {IMPORT}
        const cards = {cards}
        const found = []
        for (const format of formats) for (const time of minutes) for (let seed = 0; seed < seeds; seed += 1) {{
            const ids = choose(cards, {{ format, minutes: time, seed }}).map(card => card.id)
            const again = choose([...cards].reverse(), {{ format, minutes: time, seed }}).map(card => card.id)
            found.push({{ format, minutes: time, ids, same: ids.join() === again.join() }})
        }}
        return found
    }}""",
        [formats, minutes, seeds],
    )


def test_a_set_depends_on_its_seed_alone_fills_the_time_and_mixes_kinds(open_page):
    page = open_page(PAGE)
    sets = draw(
        page,
        "(await (await fetch('../cards.json')).json()).cards",
        ["junior", "mid", "senior", "screen", "onsite"],
        [1, 4, 15, 30, 45, 90],
        25,
    )
    formats = page.evaluate(f"(async () => ({IMPORT}).FORMATS)()")

    def cost(id: str) -> int:
        return CARDS[id].minutes + 2

    for one in sets:
        rule, ids = formats[one["format"]], one["ids"]
        allowed = [q for q in CARDS.values() if q.level in rule["weights"] and q.minutes <= rule.get("longest", 99)]
        assert one["same"] and len(set(ids)) == len(ids) >= 1, one
        assert {*ids} <= {q.id for q in allowed}, one
        total = sum(map(cost, ids))
        assert total <= one["minutes"] or (len(ids) == 1 and total == min(cost(q.id) for q in allowed)), one
        assert all(total + cost(q.id) > one["minutes"] for q in allowed if q.id not in ids), f"room is left in {one}"
        if one["minutes"] >= 30:
            assert len({CARDS[id].kind for id in ids}) >= 2, one
        if one["format"] == "onsite" and one["minutes"] >= 45:
            assert {"coding", "debugging", "design", "behavioral"} <= {CARDS[id].kind for id in ids}, one
    assert len({tuple(one["ids"]) for one in sets if one["format"] == "junior" and one["minutes"] == 30}) > 20


def test_levels_come_by_their_weights_and_topics_in_turns(open_page):
    page = open_page(PAGE)
    plenty = """["junior", "mid", "senior"].flatMap(level => Array.from({ length: 60 }, (_, index) => ({
        id: `${level}/${index}`, level, topic: `${level}/t${index % 4}`, minutes: 2,
        kind: ["concept", "coding", "design"][index % 3],
    })))"""
    sets = draw(page, plenty, ["junior", "mid", "senior", "screen", "onsite"], [60], 40)
    formats = page.evaluate(f"(async () => ({IMPORT}).FORMATS)()")
    levels = defaultdict(Counter)
    for one in sets:
        levels[one["format"]].update(id.split("/")[0] for id in one["ids"])
        turns = Counter((id.split("/")[0], int(id.split("/")[1]) % 4) for id in one["ids"])
        for level in formats[one["format"]]["weights"]:
            counts = [turns[level, topic] for topic in range(4)]
            if one["format"] != "onsite":  # there the kinds that must come first decide
                assert max(counts) - min(counts) <= 1, one
    for name, rule in formats.items():
        for level, weight in rule["weights"].items():
            assert levels[name][level] / levels[name].total() == pytest.approx(weight, abs=0.04), (name, level)
    # A level without questions leaves its share to the others.
    without = draw(page, f"({plenty}).filter(card => card.level !== 'senior')", ["senior"], [60], 20)
    found = Counter(id.split("/")[0] for one in without for id in one["ids"])
    assert found["mid"] / found.total() == pytest.approx(2 / 3, abs=0.04)


# ---------- Links ----------


def test_nothing_in_a_link_is_trusted(open_page):
    page = open_page(PAGE)
    links = {
        "": ("junior", 30, 0, 0),
        "?format=wizard": ("junior", 30, 0, 1),
        "?format=constructor&minutes=": ("junior", 30, 0, 2),
        "?format=senior&minutes=-5": ("senior", 1, 0, 1),
        "?minutes=1e9": ("junior", 180, 0, 1),
        "?minutes=NaN": ("junior", 30, 0, 1),
        "?minutes=soon&format=mid": ("mid", 30, 0, 1),
        "?minutes=12.4": ("junior", 12, 0, 1),
        f"?questions={ONE},{ONE},,{TWO},": ("junior", 30, 2, 0),
        f"?questions={ONE},no/such/page,__proto__": ("junior", 30, 1, 1),
        "?questions=no/such/page": ("junior", 30, 0, 1),
        f"?seed={'x' * 5000}&questions={ONE}": ("junior", 30, 1, 0),
    }
    found = page.evaluate(
        f"""async ([links, ids]) => {{
        const {{ readLink }} = {IMPORT}
        return links.map(link => readLink(link, new Map(ids.map(id => [id, true]))))
    }}""",
        [list(links), list(CARDS)],
    )
    for (link, (format, minutes, questions, notes)), got in zip(links.items(), found, strict=True):
        assert (got["format"], got["minutes"]) == (format, minutes), link
        assert (len(got["questions"]), len(got["notes"])) == (questions, notes), (link, got["notes"])
        assert len(got["seed"]) <= 40


def test_a_shared_link_keeps_its_set_without_what_the_site_does_not_have(open_page):
    page = open_page(
        f"{PAGE}?format=mid&minutes=1e9&seed=%3Cimg%20src=x%20onerror=alert(1)%3E&questions={TWO},gone/gone/gone,{ONE}"
    )
    expect(app(page)).to_contain_text("1 of the link's 3 questions is not on this site")
    expect(app(page)).to_contain_text("180 are chosen instead")
    start(page)
    expect(page.get_by_role("heading", level=2)).to_have_text(CARDS[TWO].title)
    assert page.url.endswith(f"&questions={TWO},{ONE}")
    assert "format=mid&minutes=180&seed=%3Cimg" in page.url


def test_a_link_without_any_known_question_gives_a_new_set_from_its_seed(open_page):
    page = open_page(f"{PAGE}?format=junior&minutes=15&seed=s&questions=gone/gone/gone,gone/too/gone")
    expect(app(page)).to_contain_text("not on this site (2 unknown)")
    expect(page.get_by_role("button", name="Start this set")).to_have_count(0)
    start(page, "Start")
    first = page.url
    assert "gone" not in first and "seed=s&" in first
    page.goto(first.split("&questions")[0])
    click(page, "Discard")
    start(page, "Start")
    assert page.url == first


# ---------- A session ----------


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
    assert app(page).locator(".tw-part h4").count() == 2
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


def test_follow_ups_are_those_of_the_page_and_their_answers_wait(open_page):
    page = start(open_page(SHORT))
    answers = page.evaluate("async id => (await (await fetch('../proofs.json')).json())[id].next", ONE)
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


def test_follow_ups_that_cannot_be_loaded_stop_nothing(open_page):
    page = open_page(PAGE, service_workers="block")
    page.route("**/proofs.json", lambda route: route.fulfill(status=404))
    page.goto(page.url + SHORT.removeprefix(PAGE))
    start(page)
    press(page, "Space")
    expect(app(page)).to_contain_text("The follow-up could not be loaded.")
    page.unroute("**/proofs.json")
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


# ---------- The clocks ----------


@pytest.fixture
def timed(open_page):
    """The short set, begun while the browser's clock stands still."""
    page = open_page("assets/images/favicon.svg", service_workers="block")
    # Material's own timers log errors when a clock jumps.
    page.route("**/javascripts/bundle.*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.clock.install(time="2026-01-05T10:00:00")
    page.goto(page.url.replace("assets/images/favicon.svg", SHORT))
    expect(page.get_by_role("button", name="Start this set")).to_be_visible()
    page.clock.pause_at("2026-01-05T10:01:00")
    return start(page)


def clocks(page, this: str, whole: str) -> None:
    expect(page.get_by_role("timer", name="Time for this question")).to_have_text(this)
    expect(page.get_by_role("timer", name="Time for the interview")).to_have_text(whole)


def test_clocks_run_while_one_answers_and_stand_still_in_a_pause_and_at_the_answer(timed):
    page, budget = timed, CARDS[ONE].minutes + 2
    clocks(page, f"{budget}:00 left", "15:00 left")
    page.clock.run_for(61_000)
    clocks(page, f"{budget - 2}:59 left", "13:59 left")
    press(page, "k")
    expect(app(page)).to_contain_text("Paused. The clocks stand still.")
    page.clock.run_for(600_000)
    clocks(page, f"{budget - 2}:59 left", "13:59 left")
    press(page, "k")
    expect(app(page)).not_to_contain_text("Paused")
    page.clock.run_for(9_000)
    clocks(page, f"{budget - 2}:50 left", "13:50 left")
    press(page, "Space", "Space", "Space")
    page.clock.run_for(600_000)
    clocks(page, f"{budget - 2}:50 left", "13:50 left")
    press(page, "ArrowRight")
    page.clock.run_for(10_000)
    clocks(page, f"{CARDS[TWO].minutes + 1}:50 left", "13:40 left")
    press(page, "ArrowLeft")
    clocks(page, f"{budget - 2}:50 left", "13:40 left")


def test_a_throttled_tab_loses_no_time_and_the_end_of_the_time_is_said_once(timed):
    page, budget = timed, CARDS[ONE].minutes + 2
    page.clock.fast_forward(budget * 60_000 + 42_000)  # timers fire once at most, as in a tab that sleeps
    page.clock.run_for(250)
    clocks(page, "over by 0:42", f"{14 - budget}:18 left")
    status = app(page).get_by_role("status").filter(has_text="The time for this question is up.")
    expect(status).to_have_count(1)
    press(page, "k", "k")
    page.clock.run_for(5_000)
    clocks(page, "over by 0:47", f"{14 - budget}:13 left")
    expect(status).to_have_count(0)


def test_a_page_that_is_left_keeps_its_times_and_comes_back_paused(timed):
    page = timed
    page.clock.fast_forward(20_000)
    page.evaluate("""() => {
        Object.defineProperty(document, "hidden", { value: true })
        document.dispatchEvent(new Event("visibilitychange"))
    }""")
    assert next(iter(stored(page).values()))["times"] == [20_000, 0]
    page.clock.fast_forward(5_000)
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.clock.fast_forward(60_000)
    expect(app(page)).to_contain_text("Paused")
    clocks(page, f"{CARDS[ONE].minutes + 1}:35 left", "14:35 left")


def test_after_a_reload_one_continues_where_one_was(timed):
    page, budget = timed, CARDS[ONE].minutes + 2
    press(page, "Space", "Space", "Space", "2", "1", "1")
    press(page, "ArrowRight", "Space")
    page.clock.run_for(30_000)
    page.reload()
    expect(app(page)).to_contain_text("question 2 of 2")
    page.clock.run_for(600_000)
    click(page, "Continue")
    expect(app(page)).to_contain_text("Follow-up 1 of 2")
    clocks(page, f"{CARDS[TWO].minutes + 1}:30 left", "14:30 left")
    press(page, "ArrowLeft")
    expect(page.get_by_role("group", name="Correctness").get_by_role("radio", name="Good")).to_be_checked()
    expect(page.get_by_role("group", name="Reasoning").get_by_role("radio", name="Weak")).to_be_checked()
    clocks(page, f"{budget}:00 left", "14:30 left")
    page.reload()
    click(page, "Start anew")
    question(page, 1)
    clocks(page, f"{budget}:00 left", "15:00 left")


# ---------- Storage ----------


def test_what_is_stored_is_checked_before_it_is_used(open_page):
    page = open_page(PAGE)
    put(
        page,
        {
            "place:mock:1": entry(
                questions=[ONE, "gone/gone/gone", TWO, 7, None, ONE],
                steps=["wizard", 3],
                times="soon",
                correctness=[9, {}],
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
    text = json.dumps(
        {"version": 1, "since": 0, "entries": {"place:mock:1": entry(), "place:mock:2": entry()}}, separators=(",", ":")
    )
    page.evaluate("text => localStorage.setItem('torch-warmup', text)", text[:-60])
    page.reload()
    expect(app(page)).to_contain_text("Your stored progress was damaged")
    click(page, "Continue")
    question(page, 2)


def test_the_last_twenty_interviews_are_kept_and_open_again(open_page):
    page = open_page(SHORT)
    put(page, {f"interview:{n}": entry(began=n, steps=["revealed"] * 2) for n in range(1, 26)})
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
    page.evaluate("""() => {
        for (let size = 1 << 22, index = 0; size >= 1; index += 1) {
            try { localStorage.setItem(`fill${index}`, "x".repeat(size)) } catch { size = Math.floor(size / 2) }
        }
    }""")
    start(page)
    expect(app(page)).to_contain_text("This browser's storage is full.")
    press(page, "Space", "Space", "Space", "3", "3", "3")
    click(page, "Next question")
    click(page, "Skip")
    expect(app(page)).to_contain_text("Your rating: 6 of 6 points")


def test_a_blocked_storage_stops_nothing(chromium, address):
    context = chromium.new_context()
    context.add_init_script("""Object.defineProperty(window, "localStorage", {
        get() { throw new DOMException("denied", "SecurityError") } })""")
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


# ---------- Recording ----------


def test_without_a_microphone_the_interview_goes_on(open_page):
    page = open_page(SHORT)
    page.get_by_role("checkbox", name="Record my voice").check()
    start(page)
    why = "(There is no microphone|did not allow the microphone).*goes on without"
    expect(app(page)).to_contain_text(re.compile(why))
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    press(page, "Space")
    expect(app(page)).to_contain_text("Follow-up 1 of 2")


def test_a_recording_plays_back_and_goes_nowhere(chromium, address):
    fake = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
    with chromium.browser_type.launch(executable_path=browser.find(), args=[*browser.ARGUMENTS, *fake]) as started:
        context = started.new_context()
        context.add_init_script("""
            const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
            navigator.mediaDevices.getUserMedia = async wish => (window.stream = await ask(wish))""")
        page = context.new_page()
        sent = []
        page.on("request", lambda request: sent.append((request.method, request.url)))
        page.goto(address + SHORT)
        page.get_by_role("checkbox", name="Record my voice").check()
        start(page)
        expect(app(page)).to_contain_text("never uploaded")
        press(page, "Space", "Space")
        page.wait_for_timeout(400)  # something to hear
        press(page, "Space")
        player = app(page).locator("audio")
        expect(player).to_have_count(1)
        player.evaluate("""audio => new Promise((resolve, reject) => {
            audio.addEventListener("timeupdate", () => { if (audio.currentTime > 0) resolve() })
            audio.addEventListener("error", () => reject(audio.error))
            audio.muted = true
            audio.play()
        })""")
        with page.expect_download() as download:
            app(page).get_by_role("link", name="Download", exact=True).click()
        assert re.fullmatch(r"zero-grad-1\.(webm|ogg|mp4)", download.value.suggested_filename)
        seconds = page.evaluate(
            """async url => {
            const data = await (await fetch(url)).arrayBuffer()
            return (await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(data)).duration
        }""",
            player.get_attribute("src"),
        )
        assert seconds > 0.2
        assert page.evaluate("stream.getTracks().every(track => track.readyState === 'live')")
        click(page, "Stop recording")
        assert page.evaluate("stream.getTracks().every(track => track.readyState === 'ended')")
        click(page, "Record my voice")
        expect(page.get_by_role("button", name="Stop recording")).to_be_visible()
        click(page, "Next question")
        click(page, "Skip")
        expect(page.get_by_role("heading", name="Your recordings")).to_be_visible()
        assert page.evaluate("stream.getTracks().every(track => track.readyState === 'ended')")
        here = (address, "blob:" + address.split("/torch")[0])
        assert all(method == "GET" and url.startswith(here) for method, url in sent), sent


# ---------- Every state, for everyone ----------


def states(page):
    """Walk through the states of the mode, naming each."""
    put(page, {"interview:1": entry(steps=["revealed"] * 2)})
    click(page, "Start this set")
    page.reload()
    page.locator("summary").first.click()
    page.get_by_text("Your last interviews").click()
    yield "setup"
    click(page, "Continue")
    press(page, "k")
    yield "paused"
    press(page, "Space")
    expect(app(page).locator(".tw-follow-up h3")).not_to_contain_text("Loading")
    yield "follow-up"
    press(page, "Space", "Space", "3")
    page.get_by_text("The code that ran").click()
    expect(app(page).locator("details .tw-output").first).to_be_visible()
    yield "revealed"
    click(page, "Next question")
    click(page, "Skip")
    yield "summary"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_any_state(open_page, scheme):
    page = open_page(SHORT, scheme=scheme)
    for state in states(page):
        results = Axe().run(page)
        assert results.violations_count == 0, f"{state}: {results.generate_report()}"


def test_a_phone_shows_every_state_without_scrolling_sideways(open_page):
    page = open_page(SHORT, width=360)
    for state in states(page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), state
        small = page.evaluate("""() => [...document.querySelectorAll("#mock :is(button, .tw-view label, summary)")]
            .filter(one => one.checkVisibility() && !one.closest("pre, .tw-fields, .md-code__nav, details details"))
            .filter(one => one.getBoundingClientRect().height < 40)
            .map(one => one.textContent)""")
        assert not small, (state, small)


def test_without_javascript_the_page_says_what_it_needs(open_page):
    page = open_page(PAGE, javascript=False)
    expect(app(page).locator("noscript a")).to_be_visible()
    expect(page.get_by_role("heading", name="How it goes")).to_be_visible()
