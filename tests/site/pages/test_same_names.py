"""What has the same name twice on a site: topics of two levels, snippets of two folders, ids in two pictures."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from warmup.dev.serving import served
from warmup.testing import below_its_label


@pytest.fixture(scope="module")
def address(sample_site) -> str:
    with served(sample_site) as address:
        yield address


# ---------- Topics ----------


def rows(page: Page):
    return page.locator(".tw-question:visible")


def chosen(page: Page) -> list[str]:
    return [page.locator(f"select[name={name}]").input_value() for name in ("level", "topic")]


def test_a_list_shows_the_topic_of_the_level_that_was_chosen(open_page):
    page = open_page("questions/")
    option = page.locator("optgroup[label=Mid] option", has_text="Autograd")
    page.locator("select[name=topic]").select_option(option.get_attribute("value"))
    expect(rows(page)).to_have_text([re.compile("What is it in mid")])
    expect(page).to_have_url(re.compile(r"\?topic=mid/autograd$"))
    page.reload()
    expect(rows(page)).to_have_count(1)
    assert chosen(page) == ["", "mid/autograd"]


OLD = [
    ("topic=autograd", ["", "junior/autograd"], 2),
    ("level=mid&topic=autograd", ["mid", "mid/autograd"], 1),
    ("level=junior&topic=scaling", ["junior", ""], 2),
    ("topic=scaling", ["", "mid/scaling"], 1),
    ("level=wizard&topic=autograd", ["", "junior/autograd"], 2),
    ("topic=grad", ["", ""], 4),
    ("topic=mid%2Fautograd", ["", "mid/autograd"], 1),
    ("level=junior&topic=mid/autograd", ["junior", "mid/autograd"], 0),
]


@pytest.mark.parametrize(("query", "choice", "count"), OLD)
def test_an_address_that_names_the_topic_alone_means_that_of_its_level_or_the_first(
    open_page, address, query, choice, count
):
    page = open_page(f"questions/?{query}")
    expect(rows(page)).to_have_count(count)
    assert chosen(page) == choice
    page.goto(f"{address}practice/flashcards/?{query}")
    cards = count + (choice in (["junior", ""], ["", ""]))  # where no topic is chosen, the junior exercise too
    expect(page.locator(".tw-counts-now")).to_have_text(
        f"0 due, {cards} new, 0 known." if cards else "No card matches. Take one filter away."
    )
    assert chosen(page) == choice


def test_flashcards_are_of_the_topic_that_was_chosen_and_count_for_it_alone(open_page):
    page = open_page("practice/flashcards/?level=mid&topic=mid/autograd")
    expect(page.locator(".tw-counts-now")).to_have_text("0 due, 1 new, 0 known.")
    page.get_by_role("button", name="Start with 1 card").click()
    expect(page.locator(".tw-ask__place")).to_contain_text("Mid · Autograd · Concept")
    page.get_by_role("button", name="Reveal").click()
    page.get_by_role("button", name="Easy").click()
    page.get_by_role("button", name="Back to the overview").click()
    progress = page.locator(".tw-by-topic tbody tr")
    expect(progress).to_have_text([re.compile(r"Autograd Mid\D*100$")])
    for name in ("level", "topic"):
        page.locator(f"select[name={name}]").select_option("")
    expect(progress.nth(0)).to_have_text(re.compile(r"Autograd Junior\D*002$"))
    expect(progress.nth(1)).to_have_text(re.compile(r"Autograd Mid\D*100$"))


def test_rehearsing_the_topic_of_a_question_means_that_of_its_level(open_page):
    page = open_page("mid/autograd/thing/")
    page.get_by_role("link", name="Rehearse this topic").click()
    expect(page.locator(".tw-counts-now")).to_have_text("0 due, 1 new, 0 known.")


def test_a_mock_interview_sums_up_each_level_by_itself(open_page):
    page = open_page("practice/mock/?format=mid&minutes=5&questions=junior/autograd/thing,mid/autograd/thing")
    page.get_by_role("button", name="Start this set").click()
    for rating in ("3", "1"):
        for key in ("Space", "Space", "Space", rating, rating, rating, "Space"):
            page.keyboard.press(key)
    expect(page.get_by_role("heading", name="Interview of")).to_be_visible()
    topics = page.locator("#mock .tw-topic tr:first-child")
    expect(topics).to_have_text([re.compile(r"Autograd.*Mid.*0 of 6"), re.compile(r"Autograd.*Junior.*6 of 6")])


def test_programs_are_of_the_topic_that_was_chosen_and_count_for_it_alone(open_page):
    page = open_page("practice/predict/")
    page.locator(".tw-setup summary").click()
    page.locator("select[name=topic]").select_option("mid/autograd")
    expect(page.locator(".tw-chosen")).to_have_text("1 program")
    expect(page.locator(".tw-puzzle:visible h2")).to_contain_text("Take two away")
    page.locator(".tw-guess:visible").first.click()
    page.get_by_role("button", name="Check").click()
    answered = page.locator(".tw-progress tbody td:nth-child(2)")
    expect(answered).to_have_text(["0 of 1", "1 of 1"])
    page.reload()
    assert chosen(page) == ["", "mid/autograd"]


@pytest.mark.parametrize(("level", "topic"), [("", "junior/autograd"), ("mid", "mid/autograd")])
def test_a_place_stored_when_topics_had_no_level_is_found_again(open_page, level, topic):
    page = open_page("404.html")
    entry = {"at": 1_700_000_000_000, "slug": "", "level": level, "topic": "autograd", "which": "all", "typing": False}
    page.evaluate(
        "text => localStorage.setItem('torch-warmup', text)",
        json.dumps({"version": 1, "since": 0, "entries": {"place:predict": entry}}),
    )
    page.goto(page.url.replace("404.html", "practice/predict/"))
    expect(page.locator(".tw-where")).to_have_text("Program 1 of 1")
    assert chosen(page) == [level, topic]


# ---------- Snippets ----------


def test_two_snippets_of_one_name_are_two_downloads(open_page, sample_site):
    page = open_page("mid/autograd/thing/")
    links = page.get_by_role("link", name="Download thing.py")
    expect(links).to_have_count(2)
    for index, text in enumerate(("print(1)\n", '# /// script\n# dependencies = ["torch"]\n# ///\nprint(2)\n')):
        with page.expect_download() as download:
            links.nth(index).click()
        assert download.value.suggested_filename == "thing.py"
        assert below_its_label(download.value.path().read_text(encoding="utf-8")) == text


def test_the_markdown_copy_names_each_snippet_s_own_file(sample_site):
    text = (sample_site / "mid/autograd/thing.md").read_text(encoding="utf-8")
    files = re.findall(r"^\[thing\.py\]\(https://example\.com/torch-warmup/(.*)\):\n\n```python\n(.*)\n```", text, re.M)
    assert files == [("snippets/junior/autograd/thing.py", "print(1)"), ("snippets/mid/autograd/thing.py", "print(2)")]


# ---------- Pictures ----------


def pictures_are_whole(page: Page, count: int) -> None:
    """So many drawings are seen, each of its own parts; no id is there twice; the image that is a file is seen too."""
    expect(page.locator("figure.tw-diagram svg:visible")).to_have_count(count)
    assert (
        page.evaluate("""() => {
        // Material's own begin with two underscores.
        const ids = [...document.querySelectorAll("[id]:not([id^=__])")].map(({ id }) => id)
        return ids.filter((id, index) => ids.indexOf(id) < index)
    }""")
        == []
    )
    lost = page.evaluate("""() => [...document.querySelectorAll("figure.tw-diagram svg")].flatMap(svg =>
        [...svg.querySelectorAll("use, [clip-path]")].filter(part => {
            const reference = ["href", "xlink:href", "clip-path"].map(name => part.getAttribute(name)).find(Boolean)
            return !svg.querySelector(reference.match(/#[^)]+/)[0])
        }).map(part => part.outerHTML))""")
    assert lost == []
    # What `use` repeats is found, and drawn.
    drawings = page.locator("figure.tw-diagram svg")
    shapes = drawings.evaluate_all("all => all.map(svg => svg.querySelector('use').getBBox().width)")
    assert shapes == [30] * count
    image = page.get_by_role("img", name="a dot")
    expect(image).to_be_visible()
    assert image.evaluate("async image => { await image.decode(); return image.naturalWidth }") == 1


def test_pictures_on_their_page(open_page):
    page = open_page("junior/autograd/other/")
    page.locator("summary", has_text="What would break?").click()
    pictures_are_whole(page, 3)


def test_pictures_on_a_flashcard(open_page):
    page = open_page("practice/flashcards/?topic=junior/autograd")
    page.get_by_role("button", name="Start").click()
    while "else" not in page.locator("#flashcards h2").inner_text():
        page.get_by_role("button", name="Reveal").click()
        page.get_by_role("button", name="Easy").click()
    page.get_by_role("button", name="Reveal").click()
    page.keyboard.press("p")
    pictures_are_whole(page, 2)


def test_pictures_in_a_mock_interview(open_page):
    page = open_page("practice/mock/?format=junior&minutes=5&questions=junior/autograd/other")
    page.get_by_role("button", name="Start this set").click()
    expect(page.locator("#mock h2")).to_have_text("What else is there?")
    for _ in range(3):
        page.keyboard.press("Space")
    page.get_by_text("The code that ran").click()
    pictures_are_whole(page, 3)


def test_pictures_in_print(open_page):
    pictures_are_whole(open_page("junior/print/"), 3)
