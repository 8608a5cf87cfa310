"""axe-core finds nothing to object to, in light and in dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

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


# In the dark, only the colors are others.
@pytest.mark.parametrize(
    ("scheme", "options"), [("light", {}), ("dark", {"runOnly": ["color-contrast"]})], ids=["light", "dark"]
)
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_no_violation(open_page, path, scheme, options):
    page = open_page(path, scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    results = Axe().run(page, options=options)
    assert results.violations_count == 0, results.generate_report()


def test_axe_is_really_running(open_page):
    page = open_page("junior/autograd/zero-grad/")
    page.evaluate(
        "document.querySelector('article').insertAdjacentHTML('beforeend', "
        "'<img src=\"../../../assets/images/favicon.png\">')"
    )
    assert Axe().run(page).violations_count == 1


def test_axe_sees_the_colors_of_the_dark_scheme(open_page):
    page = open_page("junior/autograd/zero-grad/", scheme="dark")
    page.evaluate("document.querySelector('h1').style.color = '#333'")
    assert Axe().run(page, options={"runOnly": ["color-contrast"]}).violations_count == 1
