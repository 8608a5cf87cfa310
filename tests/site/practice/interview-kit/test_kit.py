"""The interviewer kit: choose questions, put them in order, and take them along."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from kit_page import EXERCISE, PAGE, SITE, SIX, TITLES, chosen, of, on_paper, order, printed
from practice_pages import check_on_a_phone, check_with_axe, stored
from warmup.project import SNIPPETS


def test_an_answer_on_paper_points_to_nothing_on_its_page(site):
    page_only = re.compile(
        r"\babove(?=[.,:;)]|$)|\b(program|picture|runs?|table|module|dataset|row) above\b|\bas here\b|in this run\b"
    )
    lines = {one["question"]: " ".join(one["answer"].split()) for asked in on_paper(site).values() for one in asked}
    assert not {asked: line for asked, line in lines.items() if page_only.search(line)}


def test_an_answer_on_paper_names_no_function_of_a_program_that_is_not_there(site):
    answers, unknown = on_paper(site), {}
    for question in SITE.questions:
        code = "\n".join((SNIPPETS / name).read_text(encoding="utf-8") for name in question.snippets)
        own = set(re.findall(r"^(?:def|class) (\w+)", code, re.M)) - {"forward", "stack"}  # torch's too
        for one in answers[question.id]:
            named = re.findall(r"<code>(\w+)(?:\(\))?</code>", one["answer"])
            if found := [name for name in named if name in own and name not in one["question"]]:
                unknown[one["question"]] = found
    assert not unknown


def test_six_mid_questions_are_six_pages_in_a_few_steps(open_page):
    page = open_page(PAGE)
    expect(page.get_by_text("No question is chosen yet.")).to_be_visible()
    # It scrolls when it is long, and an empty one has nothing to scroll to and nothing that takes the focus.
    assert page.locator(".tw-kit__set").evaluate("one => one.scrollHeight <= one.clientHeight")
    page.locator("select[name=level]").select_option("mid")
    for name in SIX:
        page.get_by_role("checkbox", name=f"Choose: {TITLES[name]}", exact=True).check()
    minutes = sum(SITE.by_id[name].minutes + 2 for name in SIX)
    expect(page.locator(".tw-kit__sum")).to_contain_text(f"6 questions, {minutes} minutes")
    assert [len(printed(page)), len(printed(page, "Letter"))] == [6, 6]
    sheets = page.locator(".tw-kit-sheet")
    for sheet, name in zip(sheets.all(), SIX, strict=True):
        text = sheet.text_content()
        assert TITLES[name] in text
        for expected in ("Mid", "The answer to hear", "Weak", "Strong", "Correctness", "4 strong", "Notes"):
            assert expected in text, (name, expected)
        assert 2 <= sheet.locator(".tw-kit-part--next li").count() <= 4
        assert sheet.evaluate("one => one.scrollHeight <= one.clientHeight + 1"), name
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", name="Choose questions")).to_be_hidden()
    expect(sheets.first).to_be_visible()
    page.emulate_media(media="null")
    page.get_by_text("For the candidate", exact=True).click()
    assert len(printed(page)) == 2
    paper = page.locator(".tw-kit-paper").text_content()
    assert all(TITLES[name] in paper for name in SIX)
    assert "Strong" not in paper and "Notes" not in paper


def test_a_whiteboard_round_and_a_story_are_printed_with_what_decides_there(open_page):
    design, story = "senior/system-design/low-latency-serving", "senior/behavioral/fixed-a-memory-leak"
    page = open_page(of(design, story))
    expect(page.locator(".tw-kit__sum")).to_contain_text("2 questions, 49 minutes")
    assert len(printed(page)) == 2
    one, other = (sheet.text_content() for sheet in page.locator(".tw-kit-sheet").all())
    for expected in ("45 min", "Say at minute", "What fails first", "Requirements", "Trade-offs", "Staff"):
        assert expected in one, expected
    assert page.locator(".tw-kit-part--prompts li").evaluate_all("all => all.map(one => one.value)") == [5, 15, 30]
    for expected in ("4 min", "Ownership", "Reflection", "Strong"):
        assert expected in other, expected
    assert "Say at minute" not in other and "Correctness" not in one + other
    # Both together are no round; one kind alone is.
    link = page.get_by_role("link", name="Run it as a mock interview")
    assert "&format=senior&minutes=26&" in link.get_attribute("href")
    page.get_by_role("button", name=f"Take out: {TITLES[story]}").click()
    assert "&format=design&minutes=45&" in link.get_attribute("href")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download Markdown").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert "### Say at minute\n\n- **5**: What have you asked" in text
    assert "- Requirements:\n- Numbers:\n- Trade-offs:\n- Failure:\n- Communication:" in text


def test_no_question_and_no_exercise_flows_over_its_page(open_page):
    page = open_page(PAGE)
    expect(page.get_by_text("No question is chosen yet.")).to_be_visible()
    found = page.evaluate("""async () => {
        const of = name => import(new URL(`../../assets/javascripts/practice/interview-kit/${name}.js`, location.href))
        const material = await (await of("material")).load()
        const box = document.querySelector("article").appendChild(document.createElement("div"))
        const ids = [...material.byId.keys()]
        await material.complete(ids)
        ;(await of("paper")).preparePaper(box, material, Object.assign(new EventTarget(), { ids }))
        dispatchEvent(new Event("beforeprint"))
        const sheets = [...box.nextElementSibling.children]
        const names = test => ids.filter((_, index) => test(sheets[index]))
        return {
            count: sheets.length,
            long: names(one => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth),
            bare: names(one => one.querySelectorAll(".tw-kit-part--next li").length < 2),
            cramped: names(one => one.querySelector(".tw-kit-lines").clientHeight < 60),
        }
    }""")
    assert found == {"count": len(TITLES), "long": [], "bare": [], "cramped": []}


def test_an_exercise_comes_with_its_files_and_what_to_watch_for(open_page, address):
    page = open_page(PAGE)
    page.route("**/interview-kit/*-exercises.json", lambda route: route.fulfill(status=404), times=1)
    page.get_by_role("checkbox", name=f"Choose: {TITLES[SIX[0]]}", exact=True).check()
    page.get_by_role("checkbox", name=f"Choose: {TITLES[EXERCISE.id]}", exact=True).check()
    # The button waits for what an exercise needs, also where the first try went wrong.
    page.evaluate("() => { globalThis.print = () => { document.body.dataset.printed = 'yes' } }")
    page.get_by_role("button", name="Print", exact=True).click()
    expect(page.locator("body")).to_have_attribute("data-printed", "yes")
    expect(page.locator(".tw-kit__sum")).to_contain_text(f"{EXERCISE.minutes + SITE.by_id[SIX[0]].minutes + 2} minutes")
    assert len(printed(page)) == 2
    sheet = page.locator(".tw-kit-sheet").nth(1)
    for text in ("def ", "The core line", "Mistakes to watch for", "Score"):
        expect(sheet).to_contain_text(text)
    expect(sheet).to_contain_text(EXERCISE.line.strip())
    links = sheet.locator(".tw-kit-files a").evaluate_all("all => all.map(one => one.href)")
    assert [link.removeprefix(f"{address}snippets/") for link in links] == [EXERCISE.start, EXERCISE.judge]
    assert all(page.request.get(link).ok for link in links)
    page.get_by_text("For the candidate", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download Markdown").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert "raise NotImplementedError" in text and links[0] in text
    assert links[1] not in text and "Strong" not in text and EXERCISE.line.strip() not in text


def test_order_by_keys_and_buttons_stays_in_link_and_browser(open_page, address):
    one, two, three = SIX[:3]
    page = open_page(of(one, two, three))
    expect(chosen(page)).to_have_count(3)
    page.get_by_role("button", name=f"Move down: {TITLES[one]}").click()
    assert order(page) == [two, one, three]
    page.keyboard.press("Alt+ArrowDown")
    assert order(page) == [two, three, one]
    expect(page.get_by_role("status").filter(has_text="Now 3 of 3.")).to_have_count(1)
    assert page.evaluate("document.activeElement.closest('li').textContent").startswith(TITLES[one])
    assert page.url == f"{address}{of(two, three, one)}"
    page.get_by_role("button", name=f"Take out: {TITLES[three]}").click()
    assert page.evaluate("document.activeElement.ariaLabel") == f"Take out: {TITLES[one]}"
    page.locator("select[name=level]").select_option("senior")
    expect(page).to_have_url(f"{address}{PAGE}?level=senior&questions={two},{one}")
    page.goto(address + PAGE)
    expect(chosen(page)).to_have_count(2)
    assert stored(page, "place")["kit"]["questions"] == order(page) == [two, one]
    page.goto(address + of(three))
    expect(chosen(page)).to_have_count(1)
    page.get_by_role("button", name="Bring back the 2 questions").click()
    assert order(page) == [two, one]
    page.get_by_role("link", name="Run it as a mock interview").click()
    page.get_by_role("button", name="Start this set").click()
    expect(page.get_by_role("heading", level=2)).to_have_text(TITLES[two])
    assert page.url.endswith(f"&questions={two},{one}")


def test_a_link_with_unknown_and_too_many_questions_says_so(open_page):
    page = open_page(of(*[q.id for q in SITE.questions[:45]], "no/such/page", "__proto__", SITE.questions[0].id))
    expect(chosen(page)).to_have_count(40)
    message = page.get_by_role("status").filter(has_text="not on this site")
    expect(message).to_contain_text("2 of the link's 47 questions are not on this site and left out.")
    expect(message).to_contain_text("The link names 45 questions; a kit has at most 40")
    page.get_by_role("checkbox", name=f"Choose: {TITLES[EXERCISE.id]}", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="Take one out to add another")).to_be_visible()
    expect(page.get_by_role("checkbox", name=f"Choose: {TITLES[EXERCISE.id]}", exact=True)).not_to_be_checked()


def test_the_markdown_of_the_interviewer(open_page):
    page = open_page(of("junior/autograd/zero-grad", "mid/modeling/skip-connections"))
    with page.expect_download() as download:
        page.get_by_role("button", name="Download Markdown").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert text.startswith("# Interview: 2 questions, 9 minutes\n\n## 1. What is optimizer.zero\\_grad() for")
    headings = re.findall(r"^### (.*)$", text, re.M)
    assert headings == ["The answer to hear", "Ask next", "Listening for", "Score and notes"] * 2
    assert "1. **You use Adam and forget it. What do you see?**\n\n   " in text
    assert re.search(r"^- \*\*Strong\*\*: \"Nothing raises\.", text, re.M)
    assert "\n\nzero_grad() clears the last step's gradients" in text
    assert not re.search(r"</?\w+[ >]", text)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_and_a_phone_shows_all(open_page, scheme):
    page = open_page(of(*SIX[:2]), scheme=scheme, width=390)
    expect(chosen(page)).to_have_count(2)
    check_with_axe(page, "kit", colors_only=scheme == "dark")
    check_on_a_phone(page, "kit", ".tw-kit :is(.tw-button, .tw-kit__tick, .tw-kit__move, .tw-choices label)")


def test_without_javascript_the_list_is_there(open_page):
    page = open_page(PAGE, javascript=False)
    expect(page.locator("noscript")).to_be_visible()
    expect(page.locator(".tw-question a").first).to_be_visible()
