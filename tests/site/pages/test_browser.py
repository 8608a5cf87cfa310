"""The site as a reader uses it, in a real Chromium: keyboard, filter, folds, search, phone, print, no JavaScript."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from warmup.content import one_file, outputs, sources
from warmup.kinds import levels
from warmup.project import ROOT, SNIPPETS
from warmup.testing import PREFIX
from warmup.vocabulary import KINDS

SITE = levels.load()
QUESTION = "junior/autograd/zero-grad/"
SHOTS = ROOT / "build" / "screenshots"


def test_the_front_door_leads_to_a_topic_in_one_click(open_page):
    page = open_page()
    expect(page.locator(".tw-figures")).to_contain_text(str(len(SITE.questions)))
    page.locator(".tw-levels").get_by_role("link", name="Autograd", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Autograd")
    page.locator(".tw-questions a").first.click()
    expect(page).to_have_url(re.compile("junior/autograd/"))


def test_on_a_phone_each_plan_stands_beside_its_time(open_page):
    page = open_page(width=390)
    expect(page.get_by_role("link", name="Daily warmup").last).to_be_in_viewport()
    cells = page.locator(".tw-times tbody td")
    assert cells.count() == 9
    for cell in cells.all():
        shown = cell.evaluate("cell => getComputedStyle(cell, '::before').content")
        leads = cell.locator("a").get_attribute("href")
        assert f"Two {re.search('time=([a-z]+)', leads)[1]}" in shown, (leads, shown)


def test_a_filter_that_matches_nothing_says_what_to_do(open_page):
    empty = next(
        (level.slug, kind)
        for level in SITE.levels
        for kind in KINDS
        if not any(q.kind == kind for q in level.questions)
    )
    page = open_page("questions/?level={}&kind={}".format(*empty))
    expect(page.locator(".tw-question:visible")).to_have_count(0)
    expect(page.locator(".tw-filter output")).to_contain_text("No question matches")


def focused(page) -> str:
    return page.evaluate("document.activeElement.outerHTML.slice(0, 120)")


def tab_to(page, selector: str, limit: int = 150) -> None:
    """Press Tab until the focus is on ``selector``, and check that the focus can be seen there."""
    for _ in range(limit):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            style = page.evaluate("""() => {
                const s = getComputedStyle(document.activeElement)
                return {outline: parseFloat(s.outlineWidth) * (s.outlineStyle !== "none"), shadow: s.boxShadow}
            }""")
            assert style["outline"] > 0 or style["shadow"] != "none", f"no visible focus: {focused(page)}"
            return
    pytest.fail(f"{limit} presses of Tab did not reach {selector}; at {focused(page)}")


def test_keyboard_walk_through_the_filter(open_page):
    page = open_page("questions/")
    for name in ("level", "topic", "kind", "tag"):
        tab_to(page, f"select[name={name}]")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("Debug")
    expect(page).to_have_url(re.compile("kind=debugging"))
    tab_to(page, ".tw-filter button")
    page.keyboard.press("Enter")
    expect(page.locator(".tw-question:visible")).to_have_count(len(SITE.questions))
    tab_to(page, ".tw-question a")
    page.keyboard.press("Enter")
    expect(page.locator("h2#say-it")).to_be_visible()


def test_keyboard_opens_and_closes_folded_answers(open_page):
    page = open_page(QUESTION)
    fold = page.locator("details").first
    assert fold.get_attribute("open") is None
    tab_to(page, "details summary")
    page.keyboard.press("Enter")
    expect(fold).to_have_attribute("open", "")
    expect(fold.locator(".tw-output").first).to_be_visible()
    page.keyboard.press("Space")
    expect(fold).not_to_have_attribute("open", "")


def test_first_tab_stop_skips_to_the_content(open_page):
    page = open_page(QUESTION)
    page.keyboard.press("Tab")
    assert "skip" in focused(page).lower()


def test_copy_button_copies_what_is_shown(open_page):
    page = open_page(QUESTION, permissions=["clipboard-read", "clipboard-write"])
    block = page.locator("div.highlight").first
    block.hover()
    page.locator("button.md-clipboard, button[data-clipboard-target], .md-code__button").first.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == (SNIPPETS / "junior/autograd/zero_grad.py").read_text().strip()


@pytest.mark.parametrize("path", ["mid/checkpoints/resume-exactly/", "practice/trainers/resume-jumps/"])
def test_each_copy_button_belongs_to_a_block_of_its_own(open_page, path):
    page = open_page(path)
    page.locator("[data-clipboard-target]").first.wait_for(state="attached")
    own = page.evaluate(
        """() => [...document.querySelectorAll("[data-clipboard-target]")].map(button =>
          document.querySelector(button.dataset.clipboardTarget) === button.closest("pre").querySelector("code"))"""
    )
    assert len(own) > 3 and all(own)


def test_download_gives_the_whole_file(open_page):
    page = open_page(QUESTION)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download zero_grad.py").click()
    assert download.value.suggested_filename == "zero_grad.py"
    title, address, license_, torch, text = download.value.path().read_text().split("\n", 4)
    assert title == f"# {SITE.by_id[QUESTION.strip('/')].title}" and address.endswith(f"{PREFIX}{QUESTION}")
    assert license_ == "# From Torch Warmup, under the MIT license."
    assert torch == f"# Its output was recorded with torch {outputs.recorded_torch()}, CPU."
    assert text == "\n" + (SNIPPETS / "junior/autograd/zero_grad.py").read_text()


def test_what_a_page_needs_is_said_at_the_program_that_needs_it(open_page):
    page = open_page("mid/data/collate-fn/")
    expect(page.locator(".tw-chips")).to_contain_text("Several processes")
    bars = page.locator(".filename").filter(has=page.locator(".tw-needs"))
    assert bars.all_text_contents() == ["collate_fn_workers.pyDownloadNeeds: Several processes"]


def test_a_file_to_take_away_says_which_packages_it_needs_beside_torch(open_page):
    page = open_page("mid/checkpoints/resume-exactly/")
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true })")
    bars = page.locator(".filename").filter(has_text="resume_exactly_trainer.py")
    expect(bars.locator(".tw-needs")).to_have_text("Needs: numpy")
    with page.expect_download() as download:
        bars.get_by_role("link", name="Download").click()
    assert '# dependencies = ["torch>=2.11", "numpy"]' in download.value.path().read_text()


def test_each_download_is_its_program_below_comments_that_change_nothing(site):
    for path in sorted((site / "snippets").rglob("*.py")):
        source = SNIPPETS / path.relative_to(site / "snippets")
        text = one_file.assembled(source) if source.name in ("judge.py", "check.py") else sources.text(source)
        label = path.read_text("utf-8").removesuffix(text)
        assert label.endswith("\n\n") and all(line.startswith("# ") for line in label.strip().split("\n")), path
        assert len(label.strip().split("\n")) >= 4 and "/// script" not in label, path


def test_search_finds_a_question_and_loads_its_index_only_when_asked(open_page):
    page = open_page(QUESTION)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "search_index" in request.url else None)
    page.wait_for_load_state("networkidle")
    assert not page.evaluate(
        "performance.getEntriesByType('resource').some(entry => entry.name.includes('search_index'))"
    )
    page.keyboard.press("/")
    page.keyboard.type("broadcasting")
    expect(page.locator(".md-search-result__item").first).to_contain_text(re.compile("broadcast", re.I))
    assert len(asked) == 1


def test_nothing_sticks_out_sideways(open_page, address):
    page = open_page()
    for path in ("", "plan/", "questions/", QUESTION, "about/myths/", "labs/attention-cost/", "practice/", "nowhere/"):
        page.goto(address + path)
        for width in (768, 360):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path


# Common fonts for code take .55 to .602 em a column. Here each takes this much, whichever a machine has.
WIDEST = "font-size-adjust: ch-width .62"
# The first words of each block of code, and of each output, that scrolls sideways; folds are opened first.
SIDEWAYS = """() => {
    for (const fold of document.querySelectorAll("details")) fold.open = true
    const wide = element => element.scrollWidth > element.clientWidth + 1
    return [...document.querySelectorAll("article pre")]
        .filter(block => wide(block) || wide(block.querySelector("code") ?? block))
        .map(block => block.innerText.slice(0, 60))
}"""


@pytest.mark.parametrize(
    "topic", [topic for level in SITE.levels for topic in level.topics], ids=lambda topic: topic.url.rstrip("/")
)
def test_every_question_fits_a_phone_and_its_code_a_desktop_and_shows_its_chips(open_page, address, topic):
    page = open_page(topic.url, width=1280)
    assert page.evaluate("rule => CSS.supports(rule)", WIDEST)
    for question in topic.questions:
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(address + question.url)
        page.add_style_tag(content=f"article pre code {{ {WIDEST} }}")
        assert page.evaluate(SIDEWAYS) == [], question.id
        page.set_viewport_size({"width": 360, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, question.id
        chips = page.locator(".tw-chips").inner_text()
        foot = page.locator("footer.tw-foot").inner_text()
        assert question.level_label in chips and f"{question.reading} min to read" in chips, question.id
        for text in (question.topic_label, question.kind_label, f"{question.minutes} min aloud"):
            assert text in foot, question.id
        article = page.locator("article").inner_text()
        assert "--8<--" not in article, question.id
        # A formula that was not converted shows its LaTeX; a regular expression in a program looks like one.
        prose = page.locator("article").evaluate("""article => {
            const copy = article.cloneNode(true)
            copy.querySelectorAll("pre, code").forEach(code => code.remove())
            return copy.textContent
        }""")
        assert not re.search(r"\\\(|\\\[|\\frac", prose), question.id


def test_readable_without_javascript(open_page):
    page = open_page("questions/", javascript=False)
    expect(page.locator(".tw-question")).to_have_count(len(SITE.questions))
    expect(page.locator(".tw-filter")).to_be_hidden()
    page = open_page(QUESTION, javascript=False, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("details summary").first.click()
    expect(page.locator("details .tw-output").first).to_be_visible()


def test_folded_answers_are_printed_open_even_without_javascript(open_page):
    for javascript in (True, False):
        page = open_page(QUESTION, javascript=javascript)
        page.emulate_media(media="print")
        answer = page.locator("details > p").last
        if javascript:
            page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert answer.evaluate("element => element.getBoundingClientRect().height") > 0


def test_a_page_that_does_not_exist_helps(open_page):
    page = open_page("junior/autograd/no-such-page/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("not here")
    page.get_by_role("link", name=re.compile("All .* questions")).click()
    expect(page.locator(".tw-question").first).to_be_visible()


def test_unrecorded_output_says_so(open_page):
    question = SITE.by_id["senior/gpu-performance/async-execution"]
    missing = [s for s in question.snippets if not (SNIPPETS / s).with_suffix(".out").exists()]
    page = open_page(question.url)
    expect(page.locator(".tw-output--missing")).to_have_count(len(missing))


def test_screenshots_for_people_to_look_at(open_page, address):
    SHOTS.mkdir(parents=True, exist_ok=True)
    paths = {
        "home": "",
        "questions": "questions/?level=mid",
        "question": QUESTION,
        "practice": "practice/",
        "predict": "practice/predict/",
        "lab": "labs/attention-cost/",
    }
    for width, scheme in ((1280, "light"), (1280, "dark"), (360, "dark")):
        page = open_page(width=width, scheme=scheme)
        for name, path in paths.items():
            page.goto(address + path)
            shot = SHOTS / f"{name}-{width}-{scheme}.png"
            page.screenshot(path=shot, full_page=name in ("home", "question"))
            assert shot.stat().st_size > 5_000


@pytest.mark.parametrize("width", [1280, 390])
def test_the_button_that_copies_covers_no_code(open_page, width):
    page = open_page("labs/attention-cost/", width=width)
    expect(page.locator(".highlight .md-code__button").first).to_be_visible()
    covered = page.evaluate("""() => [...document.querySelectorAll(".highlight .md-code__button")].filter(button => {
        const line = document.createRange()
        const [first] = [...button.closest("pre").querySelectorAll("code > span")].filter(one => one.textContent.trim())
        line.selectNodeContents(first ?? button.closest("pre").querySelector("code"))
        return button.getBoundingClientRect().bottom > line.getBoundingClientRect().top
    }).map(button => button.closest("pre").textContent.slice(0, 60))""")
    assert not covered
