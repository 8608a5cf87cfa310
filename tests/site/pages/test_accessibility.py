"""axe-core finds nothing to object to, in light and in dark."""

from __future__ import annotations

import itertools

import pytest
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

PAGES = [
    "",
    "plan/",
    "questions/",
    "junior/",
    "junior/autograd/",
    "junior/autograd/zero-grad/",
    "junior/the-role/what-interviewers-expect/",
    "mid/training-dynamics/softmax-cross-entropy-gradient/",
    "senior/gpu-performance/async-execution/",
    "senior/system-design/low-latency-serving/",
    "labs/attention-cost/",
    "labs/serving/",
    "practice/",
    "practice/anki/",
    "practice/predict/junior/tensors/",
    "practice/trainers/",
    "practice/trainers/stuck-at-ln-v/",
    "practice/write/",
    "practice/write/causal-attention/",
    "about/verified/",
    "about/myths/",
    "about/myths/junior/autograd/",
    "no-such-page/",
]


def in_the_dark(page: Page) -> AxeResults:
    """What axe finds once an open page is switched to dark; only the colors are others then.

    By the page's own switch: a page that is open does not follow the system.
    """
    page.locator("[data-md-component=palette] label:visible").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    page.wait_for_function("document.getAnimations().every(one => one.playState !== 'running')")  # between two colors
    return Axe().run(page, options={"runOnly": ["color-contrast"]})


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_no_violation(open_page, path):
    page = open_page(path)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    light = Axe().run(page)
    assert light.violations_count == 0, f"in light: {light.generate_report()}"
    dark = in_the_dark(page)
    assert dark.violations_count == 0, f"in dark: {dark.generate_report()}"


def test_axe_is_really_running(open_page):
    page = open_page("junior/autograd/zero-grad/")
    page.evaluate(
        "document.querySelector('article').insertAdjacentHTML('beforeend', "
        "'<img src=\"../../../assets/images/favicon.png\">')"
    )
    assert Axe().run(page).violations_count == 1


def test_axe_sees_the_colors_of_the_dark_scheme(open_page):
    page = open_page("junior/autograd/zero-grad/")
    page.evaluate("document.querySelector('h1').style.color = '#333'")
    assert Axe().run(page).violations_count == 0
    assert in_the_dark(page).violations_count == 1


def test_a_reader_whose_system_is_dark_gets_the_dark_scheme(open_page):
    page = open_page("junior/autograd/zero-grad/", scheme="dark")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")


def test_a_finger_tells_the_rows_of_the_foot_apart(open_page):
    page = open_page("junior/autograd/zero-grad/", width=390)
    middles = page.locator("footer.tw-foot :is(a, button):visible").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(box => box.top + box.height / 2)"
    )
    rows = sorted(middles)
    steps = [below - above for above, below in itertools.pairwise(rows) if below - above > 4]
    assert len(steps) > 2 and min(steps) >= 24, rows
