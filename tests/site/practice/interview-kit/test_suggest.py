"""The interviewer kit suggests a set, and shows each answer beside it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from kit_page import EXERCISE, MID, PAGE, SITE, TITLES, asked_for, chosen, order, total
from practice_pages import check_on_a_phone, check_with_axe, stored

DRAW = """async ([level, minutes, seeds]) => {
    const script = name => import(new URL(`../../assets/javascripts/practice/interview-kit/${name}.js`, location.href))
    const [{ load }, { suggest }] = [await script("material"), await script("suggest")]
    const { bank, plan } = await load()
    const of = await plan(level)
    const sets = Array.from({ length: seeds }, (_, seed) => {
        const wish = { level, minutes, seed }
        const ids = suggest(bank.cards, of, wish)
        return { ids, again: suggest(bank.cards, of, wish), other: suggest(bank.cards, of, { ...wish, but: ids }) }
    })
    return { sets, places: bank.cards.map(card => card.id) }
}"""


def suggest(page) -> list[str]:
    page.get_by_role("button", name="Suggest a set").click()
    expect(chosen(page)).not_to_have_count(0)
    return order(page)


@pytest.mark.parametrize("level", SITE.levels, ids=lambda level: level.slug)
@pytest.mark.parametrize("minutes", [30, 45, 60])
def test_a_set_fills_its_minutes_over_several_topics_with_what_plans_put_first(open_page, level, minutes):
    sets, places = open_page(PAGE).evaluate(DRAW, [level.slug, minutes, 30]).values()
    own = [q for q in level.questions if q.kind != "behavioral" and q.topic != "system-design"]
    for one in sets:
        ids = one["ids"]
        assert {*ids} <= {q.id for q in own} and len({*ids}) == len(ids)
        assert total(ids) <= minutes < total(ids) + min(total([q.id]) for q in own if q.id not in ids), ids
        topics = [SITE.by_id[name].topic for name in ids]
        assert len({*topics}) >= min(len(topics), 4), ids
        assert sorted(ids, key=places.index) == ids == one["again"]
        assert {*one["other"]} != {*ids}
    drawn = [name for one in sets for name in one["ids"]]
    for planned, more in ((level.index.hours, 1.5), ((*level.index.hours, *level.index.days), 1)):
        share = sum(name in planned for name in drawn) / len(drawn)
        assert share >= more * len({q.id for q in own if q.id in planned}) / len(own)
    assert len({tuple(one["ids"]) for one in sets}) > 25


def test_45_minutes_of_mid_level_are_one_click_and_another_set_the_next(open_page, address):
    page = open_page(PAGE)
    first = suggest(page)
    assert 5 <= len(first) <= 12 and {*first} <= {q.id for q in MID}
    expect(page.locator(".tw-kit__sum")).to_contain_text(f"{len(first)} questions, {total(first)} minutes")
    assert 40 < total(first) <= 45 and asked_for(page) == ["mid.json"]
    assert page.url == f"{address}{PAGE}?questions={','.join(first)}"
    second = suggest(page)
    assert {*second} != {*first}
    page.get_by_role("button", name=f"Bring back the {len(first)} questions").click()
    assert order(page) == first == stored(page, "place")["kit"]["questions"]
    # Whoever gets the link gets this set.
    other = open_page(page.url.removeprefix(address))
    expect(chosen(other)).to_have_count(len(first))
    assert order(other) == first


def test_level_and_minutes_are_chosen_and_a_failure_is_said(open_page):
    page = open_page(f"{PAGE}?level=senior")
    level = page.locator("select[name=suggest-level]")
    expect(level).to_have_value("senior")
    level.select_option("junior")
    page.locator("select[name=suggest-minutes]").select_option("30")
    page.route("**/interview-kit/junior.json", lambda route: route.fulfill(status=404), times=1)
    page.get_by_role("button", name="Suggest a set").click()
    expect(page.get_by_text("No set could be suggested")).to_be_visible()
    ids = suggest(page)
    assert total(ids) <= 30 and {name.split("/")[0] for name in ids} == {"junior"}
    expect(page.get_by_text("No set could be suggested")).to_be_hidden()


def test_the_answer_stands_beside_the_set_and_follows_the_line_that_is_chosen(open_page, address):
    page = open_page(PAGE)
    ids = suggest(page)
    panel, lines = page.locator(".tw-kit__preview"), page.locator(".tw-kit__line")
    for place in (0, 2):
        expect(lines.nth(place)).to_have_attribute("aria-expanded", "true")
        expect(panel.get_by_role("heading", level=2)).to_have_text(TITLES[ids[place]])
        for text in ("Say it", "Weak", "Good", "Strong", *SITE.by_id[ids[place]].terms):
            expect(panel).to_contain_text(text)
        page.locator(".tw-kit__line").nth(2).click() if place == 0 else None
    expect(page.locator(".tw-kit__line[aria-expanded=true]")).to_have_count(1)
    box, beside = panel.bounding_box(), page.locator(".tw-kit__set").bounding_box()
    assert box["x"] + box["width"] <= beside["x"] and box["y"] < beside["y"] + beside["height"]
    page.get_by_role("button", name=f"Move up: {TITLES[ids[2]]}").click()
    expect(panel.get_by_role("heading", level=2)).to_have_text(TITLES[ids[2]])
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    assert page.evaluate("document.activeElement.textContent") == TITLES[ids[2]]
    lines.first.click()
    page.get_by_role("button", name=f"Take out: {TITLES[ids[0]]}").click()
    expect(panel).to_be_hidden()
    assert page.url.startswith(address + PAGE)


def test_a_question_of_the_list_shows_its_answer_below_its_row(open_page):
    page = open_page(PAGE)
    for one in (MID[0], EXERCISE):
        row = page.locator(".tw-question").filter(has=page.get_by_role("link", name=one.title, exact=True))
        opener = page.get_by_role("button", name=f"Answer: {one.title}", exact=True)
        opener.click()
        expect(row).to_contain_text("Listening for")
        expect(page.locator(".tw-kit__answer")).to_have_count(1)
        expect(page.locator(".tw-kit__preview")).to_be_hidden()
    expect(row).to_contain_text("The core line")
    opener.click()
    expect(page.locator(".tw-kit__answer")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_the_answer_is_below_its_line(open_page, scheme):
    page = open_page(PAGE, scheme=scheme, width=390)
    ids = suggest(page)
    expect(page.locator(".tw-kit__answer")).to_have_count(0)
    page.locator(".tw-kit__line").nth(1).click()
    line = chosen(page).nth(1)
    expect(line).to_contain_text("Strong")
    answer = line.locator(".tw-kit__answer").bounding_box()
    assert answer["width"] > 300 and line.locator(".tw-ladder li").first.bounding_box()["width"] > 280
    assert answer["y"] >= line.locator(".tw-kit__line").bounding_box()["y"] + 20
    check_with_axe(page, ids[1], colors_only=scheme == "dark")
    check_on_a_phone(page, ids[1], ".tw-kit :is(.tw-button, .tw-kit__line, .tw-kit__open, .tw-kit__suggest select)")
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator(".tw-kit__preview .tw-kit__answer")).to_be_visible()
    check_with_axe(page, ids[1], colors_only=scheme == "dark")


def test_on_a_phone_the_next_line_that_is_pressed_stays_in_view(open_page):
    page = open_page(PAGE, width=390)
    suggest(page)
    lines = page.locator(".tw-kit__line")
    lines.nth(1).click()
    expect(chosen(page).nth(1)).to_contain_text("Strong")
    lines.nth(4).evaluate("line => line.scrollIntoView({ block: 'start' })")
    lines.nth(4).click()
    expect(chosen(page).nth(4)).to_contain_text("Strong")
    expect(lines.nth(4)).to_be_in_viewport()
    assert lines.nth(4).bounding_box()["y"] > 40  # below the header
