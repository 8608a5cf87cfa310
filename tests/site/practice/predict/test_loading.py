"""Programs are loaded by topic, when they are due."""

from __future__ import annotations

import gzip

import pytest
from playwright.sync_api import expect

from predict_page import PAGE, PUZZLES, answer, focus_is_in_the_app, shown, title, topic_of

LIST = ".tw-puzzles li"


@pytest.fixture
def first(listed):
    return listed[0]


def watched(open_page, path: str = PAGE):
    """The page, and the topics whose programs it loads."""
    page = open_page("404.html")
    loaded = []

    def note(request):
        if request.resource_type == "fetch" and f"/{PAGE}" in request.url:
            loaded.append(request.url.partition(f"/{PAGE}")[2].strip("/"))

    page.on("request", note)
    page.goto(page.url.replace("404.html", path))
    return page, loaded


def test_only_the_topics_of_the_program_that_is_shown_and_of_the_next_are_loaded_each_once(open_page, listed):
    page, loaded = watched(open_page, f"{PAGE}#{listed[0].slug}")
    seen = 0
    for number, puzzle in enumerate(listed[:5]):
        expect(title(page)).to_have_attribute("id", puzzle.slug)
        page.wait_for_load_state("networkidle")
        assert loaded == list(dict.fromkeys(map(topic_of, listed[: number + 2])))
        seen = max(seen, len(loaded))
        page.keyboard.press("ArrowRight")
    assert 1 < seen < 5
    page.locator(".tw-setup summary").click()
    for topic in set(map(topic_of, listed)):
        total = sum(topic_of(p) == topic for p in PUZZLES)
        expect(page.locator(f"tr[data-topic='{topic}'] td").first).to_have_text(f"0 of {total}")


def test_a_topic_that_does_not_load_can_be_asked_for_again(open_page, first):
    page = open_page("404.html")
    address = f"**/{PAGE}{topic_of(first)}/"
    page.route(address, lambda route: route.fulfill(status=404))
    page.goto(page.url.replace("404.html", PAGE))
    expect(page.locator("#predict")).to_contain_text("The program could not be loaded.")
    expect(page.get_by_role("button", name="Check")).to_be_hidden()
    assert focus_is_in_the_app(page)
    page.unroute(address)
    page.get_by_role("button", name="Try again").click()
    expect(title(page)).to_be_focused()
    expect(page.locator("#predict")).not_to_contain_text("could not be loaded")
    answer(page, right=True)


def test_who_goes_on_while_a_program_loads_stays_where_they_went(open_page, first):
    page = open_page("404.html")
    waiting = []
    page.route(f"**/{PAGE}{topic_of(first)}/", lambda route: waiting.append(route))
    page.goto(page.url.replace("404.html", PAGE))
    expect(page.locator("#predict")).to_contain_text("Loading the program")
    for key in ("1", "Enter", "t"):  # mean nothing yet
        page.keyboard.press(key)
    other = next(p for p in PUZZLES if topic_of(p) != topic_of(first))
    page.evaluate("name => { location.hash = name }", other.slug)
    expect(title(page)).to_have_attribute("id", other.slug)
    with page.expect_response(waiting[0].request.url):
        waiting[0].continue_()
    page.wait_for_load_state("networkidle")
    expect(title(page)).to_have_attribute("id", other.slug)
    assert focus_is_in_the_app(page)


def test_links_of_a_program_lead_where_they_do_on_the_page_of_its_topic(open_page, first):
    page = open_page(f"{PAGE}{topic_of(first)}/")
    links = "all => all.map(link => link.href)"
    there = page.locator(".tw-puzzle").first.locator("a:not(.headerlink)").evaluate_all(links)
    page.goto(page.url.replace(f"{topic_of(first)}/", f"#{first.slug}"))
    expect(title(page)).to_have_attribute("id", first.slug)
    assert shown(page).locator("a:not(.headerlink)").evaluate_all(links) == there
    assert len(there) > 1


def test_code_that_is_loaded_later_can_be_copied(open_page):
    page = open_page(PAGE, permissions=["clipboard-read", "clipboard-write"])
    shown(page).get_by_role("button", name="Copy to clipboard").click()
    expect(page.get_by_text("Copied to clipboard")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == shown(page).locator(".highlight code").inner_text().strip() != ""


def test_without_javascript_every_program_is_listed_and_has_its_answer(open_page, first):
    page = open_page(PAGE, javascript=False)
    expect(page.locator(LIST)).to_have_count(len(PUZZLES))
    for part in (".tw-setup", ".tw-attempt", ".tw-predict-actions", "#end"):
        expect(page.locator(part)).to_be_hidden()
    page.locator(LIST).filter(has=page.locator(f"[href$='#{first.slug}']")).get_by_role("link").click()
    expect(shown(page)).to_have_count(sum(topic_of(p) == topic_of(first) for p in PUZZLES))
    section = page.locator(".tw-puzzle", has=page.locator(f"#{first.slug}"))
    section.locator("summary").click()
    expect(section.locator(".tw-answer > .tw-output")).to_be_visible()
    expect(section.locator(".tw-mistake")).to_have_count(section.locator("input").count() - 1)
    assert "markdown=" not in page.content()


def test_the_page_is_light(site):
    # A frame, a row and an option for each topic, and a line for each program.
    most = 7_500 + 50 * len({topic_of(puzzle) for puzzle in PUZZLES}) + 32 * len(PUZZLES)
    assert len(gzip.compress((site / PAGE / "index.html").read_bytes(), 9)) <= most
