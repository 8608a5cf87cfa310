"""The whole site on a device, for a reader who asks for it."""

from __future__ import annotations

import re
import shutil

import pytest
from playwright.sync_api import Page, expect

from practice_pages import check_on_a_phone, check_with_axe
from release_host import caches, manifest, visit, wait_until_kept
from warmup.exports import offline

QUESTION = "junior/autograd/thing/"
PRINT = "junior/print/"


def keep(page: Page):
    return page.get_by_role("button", name="Keep the whole site on this device")


def message(page: Page):
    return page.get_by_role("region", name="Without a network").get_by_role("status")


def keep_all(page: Page) -> None:
    keep(page).click()
    expect(message(page)).to_contain_text("Done", timeout=60_000)


def is_not_kept(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text("This page is not on this device")


def test_after_one_button_everything_works_without_a_network_until_it_is_removed(reader, host):
    page = visit(reader, host)
    wait_until_kept(page)
    expect(keep(page)).to_have_text(re.compile(r"\(\d+ MB\)$"))
    keep(page).focus()
    page.keyboard.press("Enter")
    expect(message(page)).to_contain_text("Done", timeout=60_000)
    expect(page.get_by_text(re.compile(r"^The whole site is kept on this device: \d+ MB\.$"))).to_be_visible()
    expect(page.get_by_role("region", name="Without a network")).to_be_focused()
    host.down = True
    more = manifest(host.folder)["more"]
    kinds = ("QUESTION/", "short/", "judge.py", "check.py", ".md", "search_index.json", ".svg")
    assert all(any(address.endswith(kind.replace("QUESTION/", QUESTION)) for address in more) for kind in kinds)
    for address in (address for address in more if address.endswith("/")):
        page.goto(host.root + address)
        expect(page).to_have_title(re.compile("^Release 1, "))
    failed = page.evaluate(
        """addresses => Promise.all(addresses.map(one => fetch(one).then(answer => !answer.ok && one, () => one)))
        .then(all => all.filter(Boolean))""",
        [host.root + address for address in more],
    )
    assert failed == []
    is_not_kept(page, host.root + PRINT)
    page.goto(host.practice)
    expect(keep(page)).to_be_hidden()
    page.get_by_role("button", name="Remove what was kept").click()
    expect(message(page)).to_contain_text("Removed")
    expect(keep(page)).to_be_focused()
    is_not_kept(page, host.root + QUESTION)
    page.goto(host.practice + "flashcards/")
    expect(page).to_have_title(re.compile("^Release 1, "))


def test_what_is_not_kept_says_so_and_can_be_tried_again(reader, host):
    page = visit(reader, host)
    wait_until_kept(page)
    host.down = True
    is_not_kept(page, host.root + QUESTION)
    expect(page.get_by_role("main")).to_contain_text(f"has not kept {QUESTION}")
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("This page is not on this device")
    for name in ("Plans", "list of questions", "Junior", "cheat sheet", "The front door", "Practice"):
        link = page.get_by_role("main").get_by_role("link", name=name).first
        address = link.evaluate("link => link.href")
        assert page.evaluate("address => fetch(address).then(answer => answer.ok)", address), address
    check_with_axe(page, "a page that is not kept")
    # An address of somebody else's is none to try.
    for other in ("https://example.com/", f"filesystem:{host.root}a", "javascript:0"):
        page.goto(f"{host.root}offline.html?page={other}")
        expect(page.get_by_role("link", name="Try again")).to_be_hidden()
    host.down = False
    page.goto(f"{host.root}offline.html?page={host.root}{QUESTION}")
    page.get_by_role("link", name="Try again").click()
    expect(page).to_have_title(re.compile("^Release 1, What"))


def test_a_network_that_never_answers_keeps_no_page_back(reader, host, release):
    host.patience = 500
    page = visit(reader, host)
    wait_until_kept(page)
    host.hold("offline-release.json")
    page.goto(host.root + "plan/")
    expect(page).to_have_title(re.compile("^Release 1, "))
    host.resume.set()
    # The network answers that it has a newer release, but never sends its page.
    host.folder = release(2)
    host.hold("plan/")
    page.goto(host.root + "plan/")
    expect(page).to_have_title(re.compile("^Release 1, "))
    host.hold("nothing")


def test_loading_can_be_cancelled_and_goes_on_where_it_stopped(reader, host):
    page = visit(reader, host)
    wait_until_kept(page)
    host.hold("search_index.json")
    keep(page).click()
    expect(page.get_by_role("progressbar", name="Kept on this device")).to_be_visible()
    expect(message(page)).to_contain_text("Loading")
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel).to_be_focused()
    cancel.click()
    expect(message(page)).to_have_text("Stopped. What is kept stays.")
    host.resume.set()
    expect(page.get_by_text(re.compile(r"^\d+ MB of \d+ MB are kept"))).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_hidden()
    # The worker does one thing after another: once it answers, what it had begun is done.
    page.evaluate("""() => navigator.serviceWorker.ready.then(({ active }) => new Promise(resolve => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => resolve()
        active.postMessage("keep", [port2])
    }))""")
    parts = {host.root + address for address in manifest(host.folder)["more"] if not address.endswith("/")}
    had = parts & host.answered
    assert had
    # The network fails in the middle.
    host.down = True
    keep(page).click()
    expect(message(page)).to_contain_text("It stopped")
    host.down = False
    host.held = None
    host.answered.clear()
    keep_all(page)
    assert not had & host.answered


def test_a_new_release_loads_only_what_changed_and_mixes_nothing(reader, host, release, tmp_path):
    page = visit(reader, host)
    wait_until_kept(page)
    keep_all(page)
    host.folder = tmp_path / "next"
    shutil.copytree(release(1), host.folder)
    changed = host.folder / QUESTION / "index.html"
    changed.write_text(changed.read_text(encoding="utf-8").replace("<title>Release 1", "<title>Release 2"))
    offline.write(host.folder)
    host.answered.clear()
    page.goto(host.practice)
    wait_until_kept(page)
    expect(page.get_by_text("The whole site is kept on this device")).to_be_visible()
    asked = {address.removeprefix(host.root) for address in host.answered}
    lists = manifest(host.folder)
    assert QUESTION in asked
    assert asked & set(lists["more"]) == {QUESTION}
    host.down = True
    page.goto(host.root + QUESTION)
    expect(page).to_have_title(re.compile("^Release 2, "))
    page.goto(host.root + "mid/autograd/thing/")
    expect(page).to_have_title(re.compile("^Release 1, "))


def test_the_search_works_without_a_network_after_its_first_use(reader, host):
    page = visit(reader, host)
    wait_until_kept(page)
    for down in (False, True):
        host.down = down
        page.goto(host.practice + "anki/")
        page.keyboard.press("/")
        page.keyboard.type("size")
        expect(page.locator(".md-search-result__item").first).to_be_visible(timeout=60_000)


def test_where_there_is_no_room_it_says_so_and_practice_stays(reader, host):
    page = visit(reader, host)
    wait_until_kept(page)
    session = reader.new_cdp_session(page)
    session.send("Storage.overrideQuotaForOrigin", {"origin": host.origin, "quotaSize": 1_000})
    keep(page).click()
    expect(message(page)).to_contain_text("no more room", timeout=60_000)
    expect(keep(page)).to_be_focused()
    host.down = True
    page.goto(host.practice + "flashcards/")
    expect(page).to_have_title(re.compile("^Release 1, "))


@pytest.mark.parametrize(
    "damage",
    [
        "delete Navigator.prototype.serviceWorker",
        "if (navigator.serviceWorker) navigator.serviceWorker.register = () => Promise.reject()",
    ],
)
def test_where_the_browser_refuses_it_says_so(reader, host, damage):
    reader.add_init_script(damage)
    page = visit(reader, host)
    expect(message(page)).to_contain_text("This browser can't keep the site here.")
    expect(keep(page)).to_be_hidden()


def test_the_worker_of_practice_alone_goes_when_that_of_the_site_comes(reader, host, tmp_path):
    before = tmp_path / "before"
    shutil.copytree(host.folder, before)
    (before / "practice/offline.js").write_text("addEventListener('fetch', () => {})")
    host.folder = before
    page = reader.new_page()
    page.goto(f"{host.root}404.html")
    page.evaluate(
        """async practice => {
        await navigator.serviceWorker.register(practice + "offline.js", { scope: practice })
        await caches.open(`torch-warmup ${practice} 1234`)
    }""",
        host.practice,
    )
    page.goto(host.practice)
    wait_until_kept(page)
    scopes = "navigator.serviceWorker.getRegistrations().then(all => all.map(one => one.scope))"
    assert page.evaluate(scopes) == [host.root]
    assert caches(page) == [f"torch-warmup {host.root} {manifest(host.folder)['release']}"]
    host.down = True
    page.goto(host.practice + "anki/")
    expect(page).to_have_title(re.compile("^Release 1, "))


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_it_fits_a_phone_and_has_names(chromium, host, width, scheme):
    context = chromium.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = visit(context, host)
    wait_until_kept(page)
    host.hold("search_index.json")
    keep(page).click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    check_with_axe(page, "while it loads", "#whole-site")
    check_on_a_phone(page, "while it loads", "#whole-site button")
    host.resume.set()
    expect(message(page)).to_contain_text("Done", timeout=60_000)
    check_with_axe(page, "done", "#whole-site")
    context.close()
