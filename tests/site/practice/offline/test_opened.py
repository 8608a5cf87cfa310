"""A page that was opened opens again without a network, from the first page on."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from release_host import KEPT, caches, list_of, manifest, open_and_keep, shows, wait_for_caches
from warmup.exports import offline

QUESTION = "junior/autograd/thing/"
OTHER = "mid/autograd/thing/"
NOT_HERE = "This page is not on this device"


def of_opened(host, *paths: str) -> set[str]:
    """The addresses of what these pages load."""
    lists = (host.folder / offline.PAGES / path / offline.LIST for path in paths)
    return {host.root + address for file in lists for address in json.loads(file.read_text())["files"]}


def name_of(host) -> str:
    return f"torch-warmup {host.root} {manifest(host.folder)['release']}"


def test_the_first_page_of_a_first_visit_is_kept_and_nothing_else(reader, host):
    page = reader.new_page()
    open_and_keep(page, host, QUESTION)
    own = {"offline.js", "offline-store.js", "offline-release.json", f"{offline.PAGES}{QUESTION}{offline.LIST}"}
    assert host.answered <= of_opened(host, QUESTION) | {host.root + name for name in own}
    failed = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    reader.set_offline(True)
    page.reload()
    shows(page, 1)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("[...document.images].every(image => image.naturalWidth)")
    assert page.evaluate("[...document.styleSheets].every(sheet => sheet.cssRules.length)")
    assert [url for url in failed if url != list_of(host, QUESTION)] == []


def test_each_page_that_is_opened_later_is_kept_and_no_other(reader, host):
    page = reader.new_page()
    for path in (QUESTION, "", "plan/"):
        open_and_keep(page, host, path)
    host.down = True
    for path in ("plan/", QUESTION, ""):
        page.goto(host.root + path)
        shows(page, 1)
    page.goto(host.root + OTHER)
    expect(page.get_by_role("heading", level=1)).to_have_text(NOT_HERE)
    expect(page.get_by_role("main")).to_contain_text(f"has not kept {OTHER}")
    kept = page.locator("#tw-opened a")
    expect(kept).to_have_count(3)
    assert {link.get_attribute("href") for link in kept.all()} == {host.root + path for path in (QUESTION, "", "plan/")}
    kept.first.click()
    shows(page, 1)


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("name", ["plan", "plan/index.html"])
def test_other_names_of_a_page_lead_to_it(reader, host, name, down):
    page = reader.new_page()
    open_and_keep(page, host, "plan/")
    host.down = down
    page.goto(f"{host.root}{name}?level=mid#plan")
    shows(page, 1)
    assert page.evaluate("document.querySelector('link[rel=stylesheet]').href").startswith(f"{host.root}assets/")
    if down or not name.endswith(".html"):
        assert page.evaluate("location.pathname") == f"{host.root.removeprefix(host.origin)}plan/"
        assert page.evaluate("location.search + location.hash") == "?level=mid#plan"


def test_a_name_without_a_slash_of_a_page_that_is_not_kept_says_so(reader, host):
    page = reader.new_page()
    open_and_keep(page, host, QUESTION)
    host.down = True
    page.goto(f"{host.root}plan")
    expect(page.get_by_role("heading", level=1)).to_have_text(NOT_HERE)


def test_a_page_that_was_opened_takes_all_from_its_own_release(reader, host, release):
    page = reader.new_page()
    open_and_keep(page, host, "questions/")
    host.folder = release(2)
    open_and_keep(page, host, "")
    host.down = True
    # Both pages load a script under one address, which a tab could remember from the page before.
    for path, number in (("questions/", 1), ("", 2), ("questions/", 1)):
        page.goto(host.root + path)
        shows(page, number)
        page.wait_for_load_state("networkidle")
    # There is a network again, and it has another release of a script that this page has not asked for yet.
    host.down = False
    late = f"{host.root}assets/javascripts/practice/mock/recorder.js"
    assert page.evaluate("url => import(url).then(() => true, () => false)", late) is False
    open_and_keep(page, host, "questions/")
    host.down = True
    page.reload()
    shows(page, 2)
    wait_for_caches(page, [name_of(host)])


def test_only_the_last_releases_of_what_was_opened_stay(reader, host, release):
    page = reader.new_page()
    names = []
    for number, path in enumerate((QUESTION, OTHER, "plan/", "questions/"), start=1):
        host.folder = release(number)
        open_and_keep(page, host, path)
        names.append(name_of(host))
    wait_for_caches(page, names[1:])
    host.down = True
    page.goto(host.root + OTHER)
    shows(page, 2)
    page.goto(host.root + QUESTION)
    expect(page.get_by_role("heading", level=1)).to_have_text(NOT_HERE)


@pytest.mark.parametrize("at", [1, 2])
def test_a_visit_to_practice_renews_what_was_opened(reader, host, release, at):
    page = reader.new_page()
    open_and_keep(page, host, QUESTION)
    for number in range(at, 3):
        host.folder = release(number)
        page.goto(host.practice)
        expect(page.get_by_text(KEPT)).to_be_visible(timeout=60_000)
    assert caches(page) == [name_of(host)]
    host.down = True
    page.goto(host.root + QUESTION)
    shows(page, 2)


def test_what_was_opened_can_be_removed(reader, host):
    page = reader.new_page()
    open_and_keep(page, host, QUESTION)
    page.goto(host.practice)
    page.get_by_role("button", name="Remove what was kept").click()
    expect(page.get_by_text("Removed. What a visit to practice keeps is still here.")).to_be_visible()
    host.down = True
    page.goto(host.root + QUESTION)
    expect(page.get_by_role("heading", level=1)).to_have_text(NOT_HERE)


# ---------- A browser that asks to save data ----------


@pytest.fixture
def saver(reader):
    reader.add_init_script("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
    return reader


def test_where_data_is_saved_practice_is_kept_only_when_asked_for(saver, host, release):
    page = saver.new_page()
    open_and_keep(page, host, "practice/")
    said = page.get_by_role("region", name="Without a network").get_by_role("status")
    expect(said).to_have_text("This browser asks to save data, so the practice pages are not kept in the background.")
    expect(page.get_by_text(KEPT)).to_be_hidden()
    needless = {host.root + address for address in manifest(host.folder)["files"]} - of_opened(host, "practice/")
    asked = {host.root + address for address in ("practice/cards.json",)}
    assert needless & host.answered <= asked
    page.get_by_role("button", name="Keep practice all the same").focus()
    page.keyboard.press("Enter")
    expect(said).to_have_text("Done: all practice pages are kept on this device.", timeout=60_000)
    expect(page.get_by_role("button", name=re.compile("^Keep the whole site"))).to_be_focused()
    page.goto(host.practice)
    expect(page.get_by_text(KEPT)).to_be_visible()
    expect(said).to_be_hidden()
    # The next release is again only kept when asked for.
    host.folder = release(2)
    host.answered.clear()
    page.goto(host.practice)
    expect(said).to_contain_text("is not renewed in the background")
    page.wait_for_load_state("networkidle")
    assert needless & host.answered <= asked
    host.down = True
    page.goto(host.practice + "mock/")
    shows(page, 1)
