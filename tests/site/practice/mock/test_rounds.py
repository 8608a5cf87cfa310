"""Rounds with rules of their own: a whiteboard round of system design, and the stories of a behavioral round."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from mock_page import CARDS, PAGE, app, click, press, start
from practice_pages import check_on_a_phone, check_with_axe, stored, with_a_still_clock

DESIGN, STORY = "senior/system-design/low-latency-serving", "senior/behavioral/fixed-a-memory-leak"
WHITEBOARD = f"{PAGE}?format=design&minutes=45&seed=test&questions={DESIGN}"
STORIES = f"{PAGE}?format=behavioral&minutes=12&seed=test&questions={STORY}"
PAD = "client -> gateway: 30 ms\ngateway -> features -> queue\nqueue -> GPU\nGPU -> queue: retry\n# a note\ncontrol"
MODULES = "new URL('../../assets/javascripts/practice/mock/', location.href)"


def prompts(page):
    return page.get_by_role("log", name="What the interviewer says").get_by_role("listitem")


def test_each_round_has_the_length_that_one_expects_until_one_types_another(open_page):
    page = open_page(PAGE)
    minutes = page.get_by_role("spinbutton", name="Minutes")
    for name, usual in (("System design", "45"), ("Behavioral", "12"), ("Mid", "30")):
        page.get_by_role("radio", name=re.compile(f"^{name}")).check()
        expect(minutes).to_have_value(usual)
    minutes.fill("50")
    page.get_by_role("radio", name=re.compile("^System design")).check()
    expect(minutes).to_have_value("50")
    expect(app(page)).to_contain_text("1 question, 45 minutes with their follow-ups.")


def test_a_round_asks_questions_of_its_own_kind_alone(open_page):
    page = open_page(PAGE)
    drawn = page.evaluate(f"""async () => {{
        const {{ choose }} = await import(new URL("set.js", {MODULES}))
        const {{ loadCards }} = await import(new URL("../shared/cards.js", {MODULES}))
        const {{ cards }} = await loadCards()
        const seeds = [...Array(20).keys()]
        return [["design", 45], ["behavioral", 12]].map(([format, minutes]) =>
            seeds.map(seed => choose(cards, {{ format, minutes, seed }}).map(card => card.id)))
    }}""")
    designs, stories = drawn
    there = {
        "design": [q for q in CARDS.values() if (q.level, q.topic) == ("senior", "system-design")],
        "behavioral": [q for q in CARDS.values() if q.is_story],
    }
    assert {id for ids in designs for id in ids} <= {q.id for q in there["design"]}
    assert all(len(ids) == 1 for ids in designs)
    assert {id for ids in stories for id in ids} <= {q.id for q in there["behavioral"]}
    assert all(len(ids) == len(set(ids)) == min(3, len(there["behavioral"])) for ids in stories)


def test_the_interviewer_speaks_at_minutes_5_15_and_30(open_page):
    page = start(with_a_still_clock(open_page, WHITEBOARD))
    expect(page.get_by_role("timer", name="Time for this question")).to_have_text("45:00 left")
    page.clock.run_for(4 * 60_000 + 59_000)
    expect(prompts(page)).to_have_count(0)
    for count, (minute, passes) in enumerate(((5, 2), (15, 10 * 60), (30, 15 * 60)), 1):
        page.clock.run_for(passes * 1_000)
        expect(prompts(page)).to_have_count(count)
        expect(prompts(page).last).to_contain_text(f"Minute {minute}.")
    # What has been said stays, also after a pause, in which nothing new is said.
    press(page, "k")
    page.clock.run_for(600_000)
    expect(prompts(page)).to_have_count(3)


def test_a_pad_is_drawn_kept_rated_and_taken_along(open_page):
    page = start(open_page(WHITEBOARD))
    page.get_by_label("Your components and arrows").fill(PAD)
    drawing = page.get_by_role("img", name="Your drawing: 6 components, 5 arrows")
    expect(drawing).to_be_visible()
    assert drawing.locator("g text").all_text_contents() == ["client", "gateway", "features", "queue", "GPU", "control"]
    # The one that an arrow points at is lower, and the arrow back moves nothing.
    tops = [float(one.get_attribute("y")) for one in drawing.locator("rect").all()]
    assert tops == sorted(tops[:5]) + [tops[0]]
    check_with_axe(page, "a pad")
    page.reload()
    click(page, "Continue")
    press(page, "Space", "Space", "Space")
    expect(drawing).to_be_visible()
    rows = page.locator(".tw-rubric legend").all_inner_texts()
    assert rows == ["Requirements", "Numbers", "Trade-offs", "Failure", "Communication"]
    check_with_axe(page, "the answer of a whiteboard round")
    press(page, "3", "1", "2", "2", "3", "Enter")
    expect(app(page)).to_contain_text("Your rating: 6 of 10 points.")
    missing = app(page).locator(".tw-missed > li")
    expect(missing).to_contain_text("weak: numbers")
    expect(missing.get_by_role("img", name="Your drawing")).to_be_visible()
    check_with_axe(page, "the summary of a whiteboard round")
    with page.expect_download() as download:
        click(page, "Download Markdown")
    text = download.value.path().read_text(encoding="utf-8")
    assert "| Trade-offs | 1 of 2 | 0 | 1 | 0 |" in text
    assert f"```text\n{PAD}\n```\n" in text
    (entry,) = stored(page, "interview").values()
    assert entry["numbers"] == [0] and entry["pad"] == [PAD] and "correctness" not in entry


def test_nothing_that_one_types_becomes_markup_in_the_drawing(open_page):
    page = start(open_page(WHITEBOARD))
    page.get_by_label("Your components and arrows").fill("<img src=x onerror=stolen()> -> b: <b>x</b>\n->\n: \na -> a")
    drawing = page.get_by_role("img", name="Your drawing: 3 components, 2 arrows")
    expect(drawing).to_be_visible()
    assert drawing.locator("img, b").count() == 0


def test_a_story_takes_two_minutes_is_probed_and_stands_beside_ones_own(open_page):
    page = open_page(f"{STORY}/")
    page.get_by_text("Put your own story in its place").click()
    page.get_by_label("Situation").fill("Validation of {ours} died.")
    page.goto(page.url.replace(f"{STORY}/", STORIES))
    start(page)
    expect(page.get_by_role("timer", name="Time for this question")).to_have_text(re.compile("^[34]:"))
    press(page, "Space", "Space", "Space")
    expect(app(page)).to_contain_text("Validation of {ours} died.")
    assert page.locator(".tw-rubric legend").all_inner_texts() == [
        "Ownership",
        "Evidence",
        "Reflection",
        "Communication",
    ]
    check_with_axe(page, "the answer of a story")
    page.set_viewport_size({"width": 360, "height": 740})
    check_on_a_phone(page, "the answer of a story", "#mock button, #mock summary")
    press(page, "3", "2", "1", "2", "Enter")
    expect(app(page)).to_contain_text("Your rating: 4 of 8 points.")
    expect(app(page)).to_contain_text("weak: reflection")
