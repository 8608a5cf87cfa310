"""The slider of a lab's table: one rate or all of them, by key; and every row without a script and on paper."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from practice_pages import check_on_a_phone, check_with_axe
from warmup.kinds import labs

PAGE = "labs/serving/"
[TABLE] = [
    text
    for cell in labs.code_cells(labs.read(labs.LABS / "serving.ipynb"))
    for kind, text in labs.texts(cell)
    if kind == "text/markdown"
]
ROWS = [re.findall(r"[^|]+", line) for line in TABLE.splitlines()[2:]]
RATES = list(dict.fromkeys(row[0].strip() for row in ROWS))
SHOWN = ".tw-slider tbody tr:visible"


def test_the_slider_shows_the_recorded_rows_of_one_rate(open_page):
    page = open_page(PAGE)
    slider = page.get_by_role("slider", name="Requests per second")
    expect(slider).to_have_attribute("max", str(len(RATES) - 1))
    slider.focus()
    for rate in RATES:
        expect(slider).to_have_attribute("aria-valuetext", rate)
        expect(page.locator(".tw-slider output")).to_have_text(rate)
        cells = [[cell.strip() for cell in row] for row in ROWS if row[0].strip() == rate]
        assert (
            page.locator(SHOWN).evaluate_all("rows => rows.map(row => [...row.cells].map(one => one.textContent))")
            == cells
        )
        page.keyboard.press("ArrowRight")
    check_with_axe(page, "at the last rate", "article")


def test_all_rates_are_shown_at_a_press_and_the_slider_goes_on_from_its_place(open_page):
    page = open_page(PAGE)
    everything = page.get_by_role("button", name="Show all")
    page.get_by_role("slider").press("ArrowRight")
    everything.click()
    expect(page.locator(SHOWN)).to_have_count(len(ROWS))
    expect(everything).to_have_attribute("aria-pressed", "true")
    everything.click()
    expect(page.locator(".tw-slider output")).to_have_text(RATES[1])
    everything.click()
    page.get_by_role("slider").press("ArrowRight")
    expect(page.locator(".tw-slider output")).to_have_text(RATES[2])
    expect(everything).to_have_attribute("aria-pressed", "false")


def test_on_a_phone_the_slider_fits(open_page):
    page = open_page(PAGE, width=390)
    check_on_a_phone(page, "at the first rate", ".tw-slider__bar :is(input, button)")
    expect(page.locator(SHOWN)).to_have_count(3)


def test_on_paper_all_rates_are_shown(open_page):
    page = open_page(PAGE)
    page.emulate_media(media="print")
    expect(page.locator(SHOWN)).to_have_count(len(ROWS))
    expect(page.locator(".tw-slider__bar")).to_be_hidden()


def test_without_a_script_all_rates_are_shown(open_page):
    page = open_page(PAGE, javascript=False)
    expect(page.locator(SHOWN)).to_have_count(len(ROWS))
    expect(page.locator("input[type=range]")).to_have_count(0)
