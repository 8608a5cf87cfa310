"""The search as a reader uses it: results, and arrival on a page."""

from __future__ import annotations

import gzip
import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

MARKS = "mark[data-word]"


def search(page: Page, query: str):
    """Open the search, type, and return the results."""
    page.keyboard.press("/")
    page.keyboard.insert_text(query)  # as a paste does: no key goes up
    results = page.locator(".md-search-result__item")
    expect(results.first).to_be_visible(timeout=60_000)
    return results


@pytest.mark.parametrize(("width", "height", "scheme", "visible"), [(1280, 900, "light", 5), (390, 844, "dark", 4)])
def test_several_results_are_seen_at_once(open_page, width, height, scheme, visible):
    page = open_page("about/live/", scheme=scheme)
    results = search(page, "gradient clipping")
    page.set_viewport_size({"width": width, "height": height})
    first = results.first
    expect(first.locator("h1")).to_contain_text("How do you clip gradients")
    expect(first.locator(".tw-found__place")).to_have_text("Mid · Optimization")
    expect(first.locator(".tw-found__line mark").first).to_be_visible()
    box = page.locator(".md-search__scrollwrap").bounding_box()
    bottoms = [box["y"] + box["height"] for box in (results.nth(n).bounding_box() for n in range(visible))]
    assert bottoms[-1] <= min(height, box["y"] + box["height"]), bottoms
    # The page behind has one heading of the first level, and how many were found is said.
    assert page.get_by_role("heading", level=1).count() == 1
    expect(page.get_by_role("status").filter(has_text="matching document")).to_be_visible()
    assert page.evaluate(
        "[...document.querySelectorAll('.tw-found__line')].every(one => one.scrollWidth <= one.clientWidth)"
    )


def test_what_is_pasted_by_mouse_is_searched(open_page):
    page = open_page("about/live/")
    titles = search(page, "dropout").locator("h1")
    expect(titles.first).to_contain_text("dropout")
    page.get_by_role("textbox", name="Search").evaluate("input => input.select()")
    page.keyboard.insert_text("FSDP")
    expect(titles.first).to_contain_text("fully sharded")


class Held:
    """Requests of a page that wait until they are let go."""

    def __init__(self, page: Page, pattern: str):
        self._waiting, self._open = [], False
        page.context.route(pattern, self._take)

    def _take(self, route):
        if self._open:
            route.continue_()
        else:
            self._waiting.append(route)

    def let_go(self):
        self._open = True
        for route in self._waiting:
            route.continue_()


WHOLE = ".tw-found__place[data-whole]"


def test_the_first_results_come_before_what_pages_say_and_need_little(open_page, site):
    page = open_page("about/live/")
    asked = []
    page.context.on("request", lambda request: asked.append(request.url))
    held = Held(page, "**/search/said-*.json")
    results = search(page, "gradient clipping")
    expect(results.first.locator("h1")).to_contain_text("How do you clip gradients")
    expect(page.locator(WHOLE)).to_have_count(0)
    # A busy browser has reported requests of workers only: what the page loaded, the page knows.
    asked += page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    paths = {urlsplit(url).path.partition("torch-warmup/")[2] for url in asked}
    loaded = [path for path in paths if re.search(r"\b(search|workers)/", path) and "/said-" not in path]
    sizes = {path: len(gzip.compress((site / path).read_bytes())) for path in loaded}
    assert "search/search_index.json" in sizes and sum(sizes.values()) <= 150_000, sizes
    held.let_go()
    expect(page.locator(WHOLE).first).to_be_visible()
    expect(results.first.locator(".tw-found__line mark").first).to_be_visible()


def test_no_file_of_the_search_is_large(site):
    files = sorted((site / "search").iterdir())
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in files}
    assert len(sizes) > 2 and max(sizes.values()) <= 150_000, sizes


def test_what_only_a_text_says_is_found_once_it_is_there(open_page):
    page = open_page("about/live/")
    held = Held(page, "**/search/said-*.json")
    page.keyboard.press("/")
    page.keyboard.insert_text("generator discriminator")
    expect(
        page.get_by_role("status").filter(has_text=re.compile("No matching documents|matching document"))
    ).to_be_visible()
    held.let_go()
    expect(page.locator(".md-search-result__item", has_text="zero_grad").first).to_be_visible()


@pytest.mark.parametrize("pattern", ["**/search/search_index.json", "**/search/said-*.json"])
def test_enter_before_all_is_there_waits_for_it(open_page, address, pattern):
    page = open_page("about/live/")
    held = Held(page, pattern)
    page.keyboard.press("/")
    page.keyboard.insert_text("gradient clipping")
    if "said" in pattern:
        expect(page.locator(".md-search-result__item").first).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert page.url.endswith("about/live/")
    held.let_go()
    page.wait_for_url(f"{address}mid/optimization/gradient-clipping/**")


def test_enter_that_waits_is_forgotten_when_one_types_on(open_page):
    page = open_page("about/live/")
    held = Held(page, "**/search/said-*.json")
    search(page, "gradient clipping")
    page.keyboard.press("Enter")
    page.keyboard.insert_text(" norm")
    held.let_go()
    expect(page.locator(WHOLE).first).to_be_visible()
    assert page.url.endswith("about/live/")


def test_headings_and_cells_are_apart_in_a_result(open_page):
    page = open_page("about/live/")
    search(page, "cheat sheet line to remember")
    text = page.locator(".md-search-result__list").inner_text()
    assert "cheat sheet" in text.lower()
    assert not re.search(r"sheetTensors|TensorsAutograd", text)


def test_words_are_marked_on_arrival_and_the_address_is_clean(open_page, address):
    page = open_page("about/live/")
    search(page, "gradient clipping")
    page.keyboard.press("Enter")
    expect(page.locator(MARKS).first).to_be_visible()
    assert page.url == f"{address}mid/optimization/gradient-clipping/"
    assert page.locator(f".md-content h1 {MARKS}").all_inner_texts() == ["clip", "gradients", "clipping"]
    code = page.locator(".highlight code").first
    assert "clip_grad_norm_" in code.inner_text()
    # Esc takes them away, and the page is as it was.
    page.keyboard.press("Escape")
    expect(page.locator(MARKS)).to_have_count(0)
    expect(page.locator(".tw-marks")).to_have_count(0)
    page.reload()
    expect(page.locator(".md-content h1")).to_be_visible()
    assert page.locator(MARKS).count() == 0


def test_a_fold_with_a_hit_is_open_and_seen(open_page):
    page = open_page("junior/autograd/zero-grad/?h=generator+discriminator")
    mark = page.locator(f"details[open] {MARKS}").first
    expect(mark).to_be_visible()
    expect(mark).to_be_in_viewport()
    # By keyboard: the button that takes the marks away.
    button = page.get_by_role("group", name="Found words").get_by_role("button", name="Remove")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(MARKS)).to_have_count(0)
    assert page.evaluate("document.activeElement.id") == "content"


def test_without_a_network_the_search_says_so(chromium, address):
    context = chromium.new_context(service_workers="block")
    page = context.new_page()
    page.goto(f"{address}about/live/")
    context.set_offline(True)
    page.keyboard.press("/")
    expect(page.get_by_role("status").filter(has_text="needs a network")).to_be_visible()
    context.close()


def test_a_search_that_loads_never_says_that_it_did_not(open_page):
    page = open_page("about/live/")
    # All that it says on the way: what stood there for a second only is found too.
    page.locator(".md-search-result__meta").evaluate(
        """status => {
          self.said = []
          const observer = new MutationObserver(() => said.push(status.textContent))
          observer.observe(status, {childList: true, characterData: true, subtree: true})
        }"""
    )
    search(page, "gradient clipping")
    page.wait_for_function("said.some(text => text.includes('matching document'))")
    assert not [text for text in page.evaluate("said") if "did not load" in text]


def test_words_that_nobody_sees_are_not_counted(open_page):
    page = open_page("plan/?time=hours&level=senior&h=zero_grad+writing.write")
    expect(page.locator(".tw-plan__done:visible")).to_be_visible()
    assert page.locator(".tw-plan[hidden] mark[data-word]").count() == 0


def test_marks_open_no_answer_of_a_puzzle(open_page):
    page = open_page("practice/predict/junior/autograd/?h=gradient+root+answer")
    expect(page.locator(MARKS).first).to_be_visible()
    assert page.locator(".tw-answer[open]").count() == 0
    assert page.locator(f".tw-answer {MARKS}").count() == 0
