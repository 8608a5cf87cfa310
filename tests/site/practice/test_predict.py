"""Predict the output as a reader uses it: by keyboard, by typing, on a phone, in two tabs, without JavaScript."""

from __future__ import annotations

import gzip
import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from warmup.content import levels, puzzles
from warmup.project import SNIPPETS

PAGE = "practice/predict/"
KEY = "torch-warmup"
RIGHT, WRONG = "Right. That is what it prints.", "Wrong. It prints something else."
PUZZLES = levels.load().puzzles
# One whose outputs have commas and brackets, to be typed with odd spacing.
LISTED = next(p for p in PUZZLES if all("," in output for output, _ in p.shuffled(SNIPPETS)))


def topic_of(puzzle: puzzles.Puzzle) -> str:
    return f"{puzzle.question.level}/{puzzle.question.topic}"


# The topic with the fewest puzzles, but more than one: a session that ends soon.
TOPIC = min(
    (t for t in {topic_of(p) for p in PUZZLES} if sum(topic_of(p) == t for p in PUZZLES) > 1),
    key=lambda t: (sum(topic_of(p) == t for p in PUZZLES), t),
)
IN_TOPIC = [p for p in PUZZLES if topic_of(p) == TOPIC]


def shown(page: Page):
    return page.locator(".tw-puzzle:visible")


def title(page: Page):
    return shown(page).locator("h2")


def slugs(page: Page) -> list[str]:
    """All puzzles in the order of the page."""
    return page.locator(".tw-puzzle h2").evaluate_all("headings => headings.map(heading => heading.id)")


def key_of(page: Page) -> int:
    return int(shown(page).get_attribute("data-key"))


def answer(page: Page, right: bool) -> None:
    """Choose the key, or the first wrong output, by its digit, and check it by Enter."""
    key = key_of(page)
    page.keyboard.press(str(key + 1 if right else 2 if key == 0 else 1))
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text(RIGHT if right else WRONG)


def verdict(page: Page):
    return page.locator(".tw-verdict")


def focus_is_in_the_app(page: Page) -> bool:
    return page.evaluate("document.getElementById('predict').contains(document.activeElement)")


def stored(page: Page, kind: str) -> dict:
    entries = json.loads(page.evaluate("key => localStorage.getItem(key)", KEY) or '{"entries": {}}')["entries"]
    return {name.partition(":")[2]: entry for name, entry in entries.items() if name.startswith(f"{kind}:")}


def with_stored(open_page, entries: dict | str) -> Page:
    """The page, opened by a browser that has this progress stored."""
    page = open_page("404.html")
    text = entries if isinstance(entries, str) else json.dumps({"version": 1, "since": 0, "entries": entries})
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])
    page.goto(page.url.replace("404.html", PAGE))
    return page


def leave_and_return(page: Page) -> None:
    """Show the end, then the program again, as if it had not been answered."""
    page.evaluate("location.hash = 'end'")
    expect(page.locator("#end")).to_be_visible()
    page.go_back()
    expect(verdict(page)).to_have_text("")


def visit_again(page: Page) -> None:
    """Leave the page and come back to its plain address."""
    page.goto(page.url.split("#")[0].replace(PAGE, "404.html"))
    page.goto(page.url.replace("404.html", PAGE))


def choose(page: Page, name: str, value: str) -> None:
    if not page.locator(".tw-setup").evaluate("fold => fold.open"):
        page.locator(".tw-setup summary").click()
    page.locator(f".tw-setup select[name={name}]").select_option(value)


def test_a_whole_session_by_keyboard(open_page):
    page = open_page(PAGE)
    expect(page.locator(".tw-where")).to_have_text(f"Program 1 of {len(PUZZLES)}")

    def tab_to(selector):
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        pytest.fail(f"Tab does not reach {selector}")

    tab_to(".tw-setup summary")
    page.keyboard.press("Enter")
    tab_to("select[name=topic]")
    page.keyboard.type(IN_TOPIC[0].question.topic_label)
    expect(page.locator("select[name=topic]")).to_have_value(TOPIC)
    expect(page.locator(".tw-where")).to_have_text(f"Program 1 of {len(IN_TOPIC)}")
    tab_to(".tw-guess input")

    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text("Choose an output first.")
    first = title(page).inner_text()
    page.keyboard.press("1")
    page.keyboard.press("ArrowDown")
    expect(shown(page).locator("input").nth(1)).to_be_checked()
    answer(page, right=False)
    wrong = 1 if key_of(page) == 0 else 0
    guesses = shown(page).locator(".tw-guess")
    expect(guesses.nth(key_of(page))).to_contain_text("It prints this")
    expect(guesses.nth(wrong)).to_contain_text("You said this")
    expect(shown(page).locator(".tw-answer > :first-child")).to_have_attribute("data-choice", str(wrong))
    expect(shown(page).locator(".tw-answer > .tw-output")).to_contain_text("torch")
    expect(shown(page).locator("summary")).to_have_count(0)
    assert focus_is_in_the_app(page)
    page.keyboard.press("5")  # means nothing any more
    page.keyboard.press("Enter")
    expect(title(page)).not_to_have_text(first)
    expect(title(page)).to_be_focused()
    for _ in IN_TOPIC[1:]:
        answer(page, right=True)
        assert focus_is_in_the_app(page)
        page.keyboard.press("ArrowRight")

    expect(page.locator("#end h2")).to_be_focused()
    expect(page.locator("#end")).to_contain_text(
        f"You have answered {len(IN_TOPIC)} of these {len(IN_TOPIC)} programs, {len(IN_TOPIC) - 1} of them right"
    )
    row = page.locator(f"tr[data-topic='{TOPIC}'] td")
    expect(row).to_have_text([f"{len(IN_TOPIC)} of {len(IN_TOPIC)}", str(len(IN_TOPIC) - 1)])
    page.keyboard.press("Enter")  # the wrong ones again
    expect(title(page)).to_have_text(first)
    expect(page.locator(".tw-where")).to_have_text("Program 1 of 1")
    answer(page, right=True)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="The wrong ones again")).to_have_count(0)
    expect(row.last).to_have_text(str(len(IN_TOPIC) - 1))  # the first try stays what it was
    page.keyboard.press("Enter")  # from the start
    expect(page.locator(".tw-where")).to_have_text(f"Program 1 of {len(IN_TOPIC)}")


def test_typed_answers_are_compared_without_spacing(open_page):
    page = open_page(f"{PAGE}#{LISTED.slug}")
    outputs = LISTED.shuffled(SNIPPETS)
    key = next(output for output, wrong in outputs if wrong is None)
    other, number = next((output, number) for number, (output, wrong) in enumerate(outputs) if wrong)
    page.keyboard.press("t")
    field = page.get_by_label("What does it print?").and_(page.locator("textarea"))
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text("Type what it prints first.")
    expect(field).to_be_focused()
    field.fill(" " + key.replace(", ", " ,\n").replace("[", "[ "))
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text(RIGHT)
    assert stored(page, "puzzle")[LISTED.slug]["first"] is True

    leave_and_return(page)
    expect(field).to_be_visible()  # who types once types again
    field.fill(other)
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text(WRONG)
    expect(shown(page).locator(".tw-answer > :first-child")).to_have_attribute("data-choice", str(number))

    leave_and_return(page)
    field.fill("<b>nothing like it</b>")
    page.get_by_role("button", name="Check").click()
    expect(verdict(page)).to_have_text(f"{WRONG} You typed <b>nothing like it</b>.")
    expect(shown(page).locator(".tw-answer > :first-child")).to_have_class("tw-output")
    assert {name: stored(page, "puzzle")[LISTED.slug][name] for name in ("tries", "right", "first", "last")} == {
        "tries": 3,
        "right": 1,
        "first": True,
        "last": False,
    }


def test_escape_leads_from_typing_back_to_choosing(open_page):
    page = open_page(PAGE)
    page.keyboard.press("t")
    page.keyboard.type("5 t")
    expect(page.locator("#typed")).to_have_value("5 t")
    page.keyboard.press("Escape")
    expect(shown(page).locator("fieldset")).to_be_visible()
    expect(page.locator("#typed")).to_be_hidden()
    assert focus_is_in_the_app(page)


def test_filters_narrow_what_comes_and_outlive_the_visit(open_page):
    page = open_page(PAGE)
    juniors = [p for p in PUZZLES if p.question.level == "junior"]
    choose(page, "level", "junior")
    expect(page.locator(".tw-where")).to_have_text(f"Program 1 of {len(juniors)}")
    page.keyboard.press("Escape")
    choose(page, "topic", next(topic_of(p) for p in PUZZLES if p.question.level == "mid"))
    expect(page.locator(".tw-chosen")).to_have_text("No program matches. Take one filter away.")
    expect(shown(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Check")).to_be_hidden()
    choose(page, "topic", "")
    expect(shown(page)).to_have_count(1)
    answer_here(page)
    page.get_by_role("button", name="Next").click()
    second = title(page).inner_text()
    visit_again(page)
    expect(title(page)).to_have_text(second)
    expect(page.locator(".tw-where")).to_have_text(f"Program 2 of {len(juniors)}")
    choose(page, "which", "new")
    expect(page.locator(".tw-chosen")).to_have_text(f"{len(juniors) - 1} programs")
    choose(page, "which", "wrong")
    expect(shown(page)).to_have_count(0)


def test_choosing_other_programs_leaves_an_open_answer_open(open_page):
    page = open_page(PAGE)
    answer(page, right=True)
    choose(page, "level", shown(page).get_attribute("data-level"))
    expect(shown(page).locator(".tw-answer")).to_be_visible()
    choose(page, "which", "wrong")
    expect(page.locator(".tw-chosen")).to_have_text("No program matches. Take one filter away.")


def test_arrows_scroll_code_that_has_the_focus(open_page):
    page = open_page(PAGE)
    answer(page, right=True)
    first = title(page).inner_text()
    page.locator(".tw-answer pre").first.evaluate("box => { box.tabIndex = 0; box.focus() }")
    page.keyboard.press("ArrowRight")
    page.evaluate("document.getElementById('predict').focus()")
    expect(title(page)).to_have_text(first)
    page.keyboard.press("ArrowRight")
    expect(title(page)).not_to_have_text(first)


def answer_here(page: Page) -> None:
    shown(page).locator(".tw-guess").nth(key_of(page)).click()
    page.get_by_role("button", name="Check").click()


def test_the_place_is_kept_and_an_answered_program_is_not_asked_again(open_page):
    page = open_page(PAGE)
    order = slugs(page)
    page.get_by_role("button", name="Skip").click()
    page.reload()
    expect(title(page)).to_have_attribute("id", order[1])
    answer_here(page)
    visit_again(page)
    expect(title(page)).to_have_attribute("id", order[2])


def test_a_link_opens_its_program_and_back_leads_back(open_page):
    page = open_page(f"{PAGE}#{LISTED.slug}")
    order = slugs(page)
    expect(title(page)).to_have_attribute("id", LISTED.slug)
    expect(title(page)).to_be_in_viewport()
    page.keyboard.press("ArrowRight")
    following = order[order.index(LISTED.slug) + 1]
    expect(title(page)).to_have_attribute("id", following)
    page.go_back()
    expect(title(page)).to_have_attribute("id", LISTED.slug)
    page.go_forward()
    expect(title(page)).to_have_attribute("id", following)
    page.goto(page.url.split("#")[0] + f"#{LISTED.slug}")
    expect(title(page)).to_have_attribute("id", LISTED.slug)


def test_back_to_the_address_without_a_name(open_page):
    page = open_page(PAGE)
    first = title(page).inner_text()
    page.keyboard.press("ArrowRight")
    expect(title(page)).not_to_have_text(first)
    page.go_back()
    expect(title(page)).to_have_text(first)


@pytest.mark.parametrize("name", ["no-such-program", "%3Cimg%20src=x%3E", "%E0%A4%A", "__proto__"])
def test_a_link_to_nothing_says_so(open_page, name):
    page = open_page(f"{PAGE}#{name}")
    expect(page.locator(".tw-message")).to_contain_text("There is no program called")
    expect(shown(page)).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tw-message")).to_be_hidden()


def test_links_within_the_page_are_no_programs(open_page):
    page = open_page(PAGE)
    page.keyboard.press("Tab")
    page.evaluate("document.querySelector('.md-skip').click()")
    expect(page.locator(".tw-message")).to_be_hidden()
    expect(shown(page)).to_have_count(1)


def test_a_link_out_of_the_chosen_ones_shows_all_again(open_page):
    page = open_page(PAGE)
    choose(page, "topic", TOPIC)
    other = next(p for p in PUZZLES if topic_of(p) != TOPIC)
    page.evaluate("name => { location.hash = name }", other.slug)
    expect(title(page)).to_have_attribute("id", other.slug)
    expect(page.locator("select[name=topic]")).to_have_value("")


NOW = 1_700_000_000_000


@pytest.mark.parametrize(
    "entries",
    [
        "not JSON",
        {"place:predict": {"at": NOW, "slug": 7, "level": {}, "topic": "<b>", "which": "__proto__", "typing": "yes"}},
        {"place:predict": {"at": NOW, "slug": "gone", "which": "wrong"}},
        {
            f"puzzle:{LISTED.slug}": {"at": NOW, "tries": 1, "right": 5},
            "puzzle:gone": {"at": NOW, "tries": 1, "right": 1},
        },
        {f"puzzle:{LISTED.slug}": {"at": NOW, "tries": 2, "right": 1, "first": "<b>", "last": 3}},
    ],
    ids=["no JSON", "odd place", "place that is gone", "impossible count", "odd flags"],
)
def test_damaged_progress_does_not_stop_the_page(open_page, entries):
    page = with_stored(open_page, entries)
    expect(page.locator(".tw-where")).to_have_text(f"Program 1 of {len(PUZZLES)}")
    answer(page, right=True)
    assert stored(page, "puzzle")[slugs(page)[0]]["right"] >= 1


def test_opening_the_page_does_not_write_over_what_is_stored(open_page):
    page = with_stored(open_page, "not JSON")
    expect(shown(page)).to_have_count(1)
    assert page.evaluate("key => localStorage.getItem(key)", KEY) == "not JSON"


def test_without_storage_it_works_and_says_what_is_lost(open_page):
    page = open_page("404.html")
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError') }})"
    )
    page.goto(page.url.replace("404.html", PAGE))
    expect(page.locator(".tw-notice:not(.tw-message)")).to_contain_text("does not let the site store anything")
    answer(page, right=True)
    page.keyboard.press("Enter")
    expect(page.locator(".tw-where")).to_have_text(f"Program 2 of {len(PUZZLES)}")


def test_two_tabs_share_progress_and_keep_their_places(open_page):
    one = open_page(PAGE)
    two = one.context.new_page()
    two.goto(one.url)
    order = slugs(one)
    two.keyboard.press("ArrowRight")
    answer(one, right=True)
    two.keyboard.press("1")
    expect(title(two)).to_have_attribute("id", order[1])  # what the other tab did has not moved this one
    answer(two, right=False)
    two.locator(".tw-setup summary").click()
    topic = one.locator(".tw-puzzle").first.get_attribute("data-topic")
    answered = two.locator(f"tr[data-topic='{topic}'] td").first
    for tab in (one, two):
        assert set(stored(tab, "puzzle")) == set(order[:2])
    expect(one.locator(f"tr[data-topic='{topic}'] td").first).to_have_text(answered.inner_text())


@pytest.mark.parametrize("width", [1280, 360])
def test_each_program_can_be_downloaded(open_page, width):
    page = open_page(f"{PAGE}#{LISTED.slug}", width=width)
    name = LISTED.program.rpartition("/")[2]
    link = shown(page).get_by_role("link", name=f"Download {name}")
    left, copy = (box.bounding_box() for box in (link, shown(page).get_by_role("button", name="Copy to clipboard")))
    assert left["x"] + left["width"] <= copy["x"], "The button to copy stands beside it."
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == name
    assert download.value.path().read_bytes() == (SNIPPETS / LISTED.program).read_bytes()
    expect(page.locator(".tw-download")).to_have_count(len(PUZZLES))


def test_without_javascript_every_program_has_its_answer(open_page):
    page = open_page(PAGE, javascript=False)
    expect(shown(page)).to_have_count(len(PUZZLES))
    for part in (".tw-setup", ".tw-attempt", ".tw-predict-actions", "#end"):
        expect(page.locator(part)).to_be_hidden()
    first = page.locator(".tw-puzzle").first
    first.locator("summary").click()
    expect(first.locator(".tw-answer > .tw-output")).to_be_visible()
    expect(first.locator(".tw-mistake")).to_have_count(first.locator("input").count() - 1)
    assert "markdown=" not in page.content()


def states(page: Page):
    """Each state of the page, one after the other."""
    expect(shown(page)).to_have_count(1)
    yield "asked"
    page.keyboard.press("1")
    yield "chosen"
    answer(page, right=False)
    yield "wrong"
    page.keyboard.press("Enter")
    answer(page, right=True)
    yield "right"
    page.keyboard.press("Enter")
    page.keyboard.press("t")
    yield "typing"
    page.keyboard.type("nothing")
    page.keyboard.press("Enter")
    yield "typed"
    page.locator(".tw-setup summary").click()
    yield "choosing"
    page.evaluate("location.hash = 'end'")
    expect(page.locator("#end")).to_be_visible()
    yield "end"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(open_page, scheme):
    page = open_page(PAGE, scheme=scheme)
    for state in states(page):
        # The whole page once, then what has changed: every run looks at all programs, hidden ones too.
        context = None if state == "asked" else ".tw-puzzle:not([hidden]), .tw-setup, #end"
        results = Axe().run(page, context)
        assert results.violations_count == 0, f"{state}: {results.generate_report()}"


def test_it_fits_a_phone_and_fingers(open_page):
    page = open_page(PAGE, width=360)
    for state in states(page):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, state
        small = page.evaluate("""() => [...document.querySelectorAll(
            "#predict :is(button.tw-button, .tw-guess, summary, select, textarea)")]
            .filter(target => target.checkVisibility() && target.getBoundingClientRect().height < 40)
            .map(target => target.outerHTML.slice(0, 80))""")
        assert not small, f"{state}: {small}"


def test_every_program_fits_a_phone(open_page):
    page = open_page(PAGE, width=360)
    for slug in slugs(page):
        page.evaluate("name => { location.hash = name }", slug)
        expect(title(page)).to_have_attribute("id", slug)
        answer(page, right=False)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, slug


def test_the_page_is_light(site):
    assert len(gzip.compress((site / PAGE / "index.html").read_bytes(), 9)) <= 30_000
