"""Exercises and trainers where programs run in the reader's browser: a field that is made for code, also on a phone."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

EXERCISE, TRAINER = "practice/write/add/", "practice/trainers/stands-still/"
RIGHT = "def solve(a, b):\n    return a + b\n"


@pytest.fixture
def field(visit):
    """The field of an exercise, which has not been judged."""
    one = visit(EXERCISE)
    found = one.cell.block.locator("textarea")
    found.fill("")
    return found


def test_tab_indents_and_escape_lets_it_leave(field):
    page = field.page
    field.fill("a = 1\nb = 2\nc = 3")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Tab")
    assert field.input_value() == "    a = 1\nb = 2\nc = 3"
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Tab")
    assert field.input_value() == "        a = 1\n    b = 2\nc = 3"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert field.input_value() == "a = 1\nb = 2\nc = 3"
    page.keyboard.press("Shift+Tab")
    assert (
        field.input_value() == "a = 1\nb = 2\nc = 3" and page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    )
    page.keyboard.press("Control+End")
    page.keyboard.press("Tab")
    assert field.input_value().endswith("c = 3   ")  # to the next column of four
    page.keyboard.press("Control+z")
    assert field.input_value().endswith("c = 3")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent").startswith("Judge")


def test_a_new_line_is_as_far_in_as_the_one_before(field):
    field.press_sequentially("def solve(a, b):\nif a:\nreturn a")
    assert field.input_value() == "def solve(a, b):\n    if a:\n        return a"
    field.page.keyboard.press("Shift+Tab")
    assert field.input_value() == "def solve(a, b):\n    if a:\n    return a"


def test_nothing_corrects_what_is_typed(field):
    wanted = {"spellcheck": "false", "autocapitalize": "off", "autocorrect": "off", "autocomplete": "off"}
    assert {name: field.get_attribute(name) for name in wanted} == wanted


@pytest.mark.parametrize(("path", "program"), [(EXERCISE, "starter.py"), (TRAINER, "broken.py")])
def test_what_was_typed_outlives_the_tab_until_it_is_reset(visit, path, program):
    one = visit(path)
    one.cell.edit(RIGHT)
    one.page.close()
    one.page = one.context.new_page()
    one.open(path)
    assert one.cell.block.locator("textarea").input_value() == RIGHT
    one.page.get_by_role("button", name=f"Reset {program}").click()
    one.page.reload()
    assert RIGHT not in one.page.locator(".highlight[data-program]").first.evaluate(
        "one => one.querySelector('textarea')?.value ?? one.querySelector('pre').textContent"
    )


def test_a_full_storage_is_said_and_the_field_goes_on(visit):
    one = visit(EXERCISE)
    one.page.evaluate(
        """() => { Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError") } }"""
    )
    one.cell.edit(RIGHT)
    assert "storage is full" in one.cell.said
    one.cell.press("Judge")
    assert one.cell.finish() == "passed"


@pytest.mark.parametrize("path", [EXERCISE, TRAINER])
def test_it_fits_a_phone(chromium, visit, path):
    one = visit(path, phone=True)
    if path == TRAINER:
        one.cell.press("Edit")
    found = one.cell.block.locator("textarea")
    found.fill("\n".join(f"x{number} = 'a long line of code, longer than a phone is wide'" for number in range(90)))
    box = found.bounding_box()
    size = one.page.viewport_size
    assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"] and box["height"] <= 0.6 * size["height"] + 1
    assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # Safari scales a page up in which somebody types into smaller letters.
    assert float(found.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")) >= 16
    buttons = one.cell.block.locator(".tw-run__bar button:visible").all()
    assert all(one.bounding_box()["x"] + one.bounding_box()["width"] <= size["width"] for one in buttons)
    results = Axe().run(one.page)
    assert results.violations_count == 0, results.generate_report()


def test_the_box_says_that_it_can_be_judged_here(visit):
    for path, said in ((EXERCISE, "press Judge. Or download"), (TRAINER, "press Check. Or download")):
        one = visit(path)
        text = one.page.locator(".tw-try").inner_text()
        assert said in text and "cannot run Python" not in text


def test_where_no_program_runs_the_page_says_what_to_do(site):
    text = (site / "practice/write/never/index.html").read_text()
    assert "data-program" not in text and "assets/programs" not in text
    assert "This page cannot run Python: to write and judge your solution in it, open it with" in text
    assert '<a href="../../../about/live/"><code>make live</code></a> on your own machine.' in text
