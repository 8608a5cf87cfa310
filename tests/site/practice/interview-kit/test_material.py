"""What the interviewer kit loads, and when: each level has files of its own."""

from __future__ import annotations

from playwright.sync_api import expect

from kit_page import EXERCISE, PAGE, SIX, TITLES, asked_for, chosen, complete, printed

SENIOR = "senior/compiler/graph-breaks"


def test_only_the_levels_of_the_set_are_loaded_each_once(open_page):
    page = open_page(PAGE)
    expect(page.get_by_text("No question is chosen yet.")).to_be_visible()
    complete(page)
    assert asked_for(page) == []
    for name in (SIX[0], SIX[1], SENIOR):
        page.get_by_role("checkbox", name=f"Choose: {TITLES[name]}", exact=True).check()
        complete(page)
    assert asked_for(page) == ["mid.json", "senior.json"]
    page.get_by_role("checkbox", name=f"Choose: {TITLES[EXERCISE.id]}", exact=True).check()
    complete(page)
    more = {f"{EXERCISE.level}.json", f"{EXERCISE.level}-exercises.json"}
    assert {*asked_for(page)} == {"mid.json", "senior.json", *more}
    page.get_by_role("button", name=f"Take out: {TITLES[SENIOR]}").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download Markdown").click()
    assert "### Ask next" in download.value.path().read_text(encoding="utf-8")
    written = [name for name in asked_for(page) if "markdown" in name]
    assert sorted(written) == sorted({"mid-markdown.json", f"{EXERCISE.level}-markdown.json"})


def test_what_could_not_be_loaded_is_said_on_paper_and_tried_again_by_the_button(open_page):
    page = open_page(PAGE)
    page.route("**/interview-kit/mid.json", lambda route: route.fulfill(status=404), times=1)
    page.get_by_role("checkbox", name=f"Choose: {TITLES[SIX[0]]}", exact=True).check()
    [text] = printed(page)
    assert "The follow-ups have not been loaded" in text
    page.evaluate("() => { globalThis.print = () => { document.body.dataset.printed = 'yes' } }")
    page.get_by_role("button", name="Print", exact=True).click()
    expect(page.locator("body")).to_have_attribute("data-printed", "yes")
    [text] = printed(page)
    assert "have not been loaded" not in text
    assert page.locator(".tw-kit-part--next li").count() >= 2
    expect(chosen(page)).to_have_count(1)
