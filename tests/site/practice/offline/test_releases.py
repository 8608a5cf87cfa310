"""The practice pages without a network never mix two releases of the site."""

from __future__ import annotations

from playwright.sync_api import expect

from release_host import (
    KEPT,
    caches,
    manifest,
    open_every_page,
    shows,
    source,
    stop_worker,
    visit,
    wait_for_caches,
    wait_until_kept,
)
from warmup.testing import PREFIX


def test_after_a_release_and_one_visit_every_page_opens_without_a_network(reader, host, release):
    page = visit(reader, host)
    wait_until_kept(page)
    page.close()
    host.folder = release(2)
    page = visit(reader, host)
    wait_until_kept(page)
    host.down = True
    open_every_page(page, host, 2)
    assert source(page, release) == {2}


def test_a_release_is_shown_at_once_and_whole(reader, host, release):
    page = visit(reader, host)
    wait_until_kept(page)
    open_every_page(page, host, 1)
    host.folder = release(2)
    open_every_page(page, host, 2)
    assert source(page, release) == {2}


def test_a_tab_runs_no_script_that_it_remembers_of_the_release_before(reader, host, release):
    page = visit(reader, host)
    wait_until_kept(page)
    for number in (1, 2):
        host.folder = release(number)
        page.goto(host.root + "plan/")
        shows(page, number)
        page.wait_for_function("number => globalThis.ran === number", arg=number)


def test_only_the_caches_of_this_site_and_of_older_releases_are_deleted(reader, host, release):
    page = reader.new_page()
    page.goto(f"{host.origin}{PREFIX}404.html")
    others = ["of another site", f"torch-warmup {host.origin}/a-fork/practice/ 1234"]
    for name in ("torch-warmup-practice", *others):
        page.evaluate("name => caches.open(name)", name)
    for number in (1, 2):
        host.folder = release(number)
        page.goto(host.practice)
        wait_until_kept(page)
        name = f"torch-warmup {host.root} {manifest(host.folder)['release']}"
        wait_for_caches(page, [*others, name])


def test_an_installation_that_loses_its_network_leaves_the_one_before(reader, host, release):
    page = visit(reader, host)
    wait_until_kept(page)
    before = caches(page)
    host.folder = release(2)
    host.hold("recorder.js")
    page.goto(host.practice)
    shows(page, 2)
    host.wait_until_only_the_held_is_missing(release(1))
    host.down = True
    # In the middle of it ...
    other = visit(reader, host)
    open_every_page(other, host, 1)
    # ... and after its end.
    host.resume.set()
    wait_for_caches(other, before)
    open_every_page(other, host, 1)
    assert source(other, release) == {1}
    expect(page.get_by_text(KEPT)).to_be_hidden()
    host.down = False
    page.goto(host.practice)
    wait_until_kept(page)
    host.down = True
    open_every_page(other, host, 2)


def test_an_open_page_keeps_its_source_when_a_release_comes(reader, host, release):
    page = visit(reader, host)
    wait_until_kept(page)
    page.goto(host.practice)  # from the cache now
    host.folder = release(2)
    other = visit(reader, host)
    wait_until_kept(other)
    for _ in range(2):
        assert source(page, release) == {1}
        assert source(other, release) == {2}
        stop_worker(reader, page)
    page.close()
    for _ in range(3):
        other.goto(host.practice)
        wait_until_kept(other)
    (name,) = caches(other)
    notes = other.evaluate("async name => (await (await caches.open(name)).keys()).map(one => one.url)", name)
    assert sum("?page=" in url for url in notes) <= 2  # the page, and the worker in which it searches


def test_a_page_of_a_new_release_takes_nothing_from_the_one_before(reader, host, release):
    page = visit(reader, host)
    wait_until_kept(page)
    host.folder = release(2)
    host.hold("recorder.js")
    page.goto(host.practice)
    shows(page, 2)
    host.wait_until_only_the_held_is_missing(release(1))
    assert source(page, release) == {2}
    host.down = True
    host.resume.set()
    for _ in range(2):
        # A browser that can't start the worker asks what it has kept itself, which is of the page's own release.
        assert source(page, release) <= {None, 2}
        stop_worker(reader, page)


def test_questions_that_wait_for_an_edit_end_with_their_page(reader, host):
    page = visit(reader, host)
    wait_until_kept(page)
    host.hold("/news")
    for number in range(8):  # a browser has six connections to a host
        page.goto(host.practice, timeout=20_000)
        with page.expect_request("**/news"):
            page.evaluate(
                """number => {
                const request = new XMLHttpRequest()
                request.open("GET", `/livereload/${number}/news`)
                request.send()
            }""",
                number,
            )
        page.wait_for_timeout(200)
