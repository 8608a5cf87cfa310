"""Letters of twice the size on a phone, and a window of 320 pixels: nothing scrolls sideways but a box of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from warmup.dev import browser

# One of each template, and what stands on it once its script has drawn it.
PAGES = {
    "": "h1",
    "plan/": ".tw-ticks",
    "questions/": ".tw-filter__kit a",
    "junior/": "h1",
    "junior/training-loop/optimizers/": ".md-typeset__scrollwrap",
    "mid/modeling/diffusion/": ".md-typeset__scrollwrap",
    "mid/training-dynamics/weight-init/": "h1",
    "mid/sheet/": "h1",
    "junior/short/": "h1",
    "about/verified/": ".md-typeset__scrollwrap",
    "about/myths/junior/autograd/": "h1",
    "labs/attention-cost/": "h1",
    "labs/serving/": ".tw-slider__bar",
    "practice/": "#progress li",
    "practice/flashcards/": ".tw-by-topic td",
    "practice/mock/": ".tw-button",
    "practice/interview-kit/?questions=mid/modeling/diffusion,practice/write/causal-attention": ".tw-kit__chosen li",
    "practice/predict/": ".tw-guess",
    "practice/write/causal-attention/": ".tw-try .tw-button",
}
# What scrolls sideways and no key reaches, or nobody hears the name of.
MUTE = """() => [...document.querySelectorAll(".tw-wide, .md-typeset__scrollwrap")]
    .filter(box => box.scrollWidth > box.clientWidth && box.checkVisibility())
    .filter(box => box.tabIndex !== 0 || box.role !== "group" || !box.ariaLabel)
    .map(box => box.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module", params=[(390, 32), (320, 16)], ids=["large letters", "narrow"])
def window(request) -> tuple[int, int]:
    """Width, and size of letters that the reader has set; 16 is what browsers come with. Both in pixels."""
    return request.param


@pytest.fixture(scope="module")
def chromium(chromium, window) -> Iterator[Browser]:
    """A browser of that reader."""
    started = chromium.browser_type.launch(
        executable_path=browser.find(), args=[*browser.ARGUMENTS, f"--blink-settings=defaultFontSize={window[1]}"]
    )
    yield started
    started.close()


def test_no_page_scrolls_sideways(open_page, address, window):
    page = open_page(width=window[0])
    assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") == 1.25 * window[1]
    wide = []
    for path, drawn in PAGES.items():
        page.goto(address + path)
        page.locator(f"{drawn}:visible").first.wait_for()
        page.evaluate("() => { for (const fold of document.querySelectorAll('details')) fold.open = true }")
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(path or "home")
        page.wait_for_function(f"({MUTE})().length === 0")
    assert not wide


def test_a_place_is_left_to_close_the_menu(open_page, window):
    page = open_page("junior/autograd/zero-grad/", width=window[0])
    page.locator("label.md-header__button[for=__drawer]").click()
    menu = page.locator(".md-sidebar--primary")
    expect(menu).to_be_in_viewport(ratio=1)
    page.mouse.click(window[0] - 10, 500)
    expect(page.locator("#__drawer")).not_to_be_checked()
