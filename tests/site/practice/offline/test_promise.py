"""Only what is kept is promised."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Error, expect

from release_host import KEPT, open_every_page, shows, stop_worker, visit, wait_until_kept
from warmup.exports import offline
from warmup.testing import PREFIX


def test_nothing_is_promised_before_all_is_kept(reader, host):
    host.hold("recorder.js")
    page = visit(reader, host)
    host.wait_until_only_the_held_is_missing()
    page.wait_for_timeout(1_000)
    expect(page.get_by_text(KEPT)).to_be_hidden()
    host.resume.set()
    wait_until_kept(page)


def test_nothing_is_promised_where_a_file_is_missing_or_of_another_release(reader, host, release, tmp_path):
    for number, damage in enumerate((Path.unlink, lambda file: file.write_text("export const wait = 1"))):
        host.folder = tmp_path / str(number)
        shutil.copytree(release(1), host.folder)
        damage(host.folder / "assets/javascripts/practice/mock/recorder.js")
        page = visit(reader, host)
        expect(page.get_by_text("This copy of the site can't be kept now")).to_be_visible(timeout=60_000)
        expect(page.get_by_text(KEPT)).to_be_hidden()
        held = page.evaluate("url => caches.match(url).then(Boolean)", host.root + offline.MANIFEST)
        assert not held  # what is there is the page that was opened


def test_where_storage_is_full_pages_work_and_nothing_is_promised(reader, host):
    page = reader.new_page()
    page.goto(f"{host.origin}{PREFIX}404.html")
    session = reader.new_cdp_session(page)
    session.send("Storage.overrideQuotaForOrigin", {"origin": host.origin, "quotaSize": 300_000})
    page.goto(host.practice)
    expect(page.get_by_text("This browser gives the site no more room")).to_be_visible(timeout=60_000)
    expect(page.get_by_text(KEPT)).to_be_hidden()
    open_every_page(page, host, 1)
    host.down = True
    with pytest.raises(Error, match="ERR_"):
        visit(reader, host)
    host.down = False
    session.send("Storage.overrideQuotaForOrigin", {"origin": host.origin})
    page.goto(host.practice)
    wait_until_kept(page)


@pytest.mark.parametrize("refused", [["delete", "has", "keys", "match", "open"], ["open"]], ids=["all", "open"])
def test_where_storage_is_refused_pages_come_from_the_network(reader, host, release, tmp_path, refused):
    host.folder = tmp_path / "refused"
    shutil.copytree(release(1), host.folder)
    worker = host.folder / "offline.js"
    refuse = f"""for (const name of {refused}) {{
        CacheStorage.prototype[name] = () => Promise.reject(new DOMException("refused", "SecurityError"))
    }}\n"""
    worker.write_text(refuse + worker.read_text(encoding="utf-8"), encoding="utf-8")
    page = reader.new_page()
    page.goto(f"{host.origin}{PREFIX}404.html")
    page.evaluate("name => caches.open(name)", f"torch-warmup {host.root} 1234")
    for _ in range(2):  # the first visit brings the worker
        page.goto(host.practice, timeout=20_000)
        shows(page, 1)
        expect(page.get_by_text("This browser can't keep the site here.")).to_be_visible(timeout=20_000)
        expect(page.get_by_text(KEPT)).to_be_hidden()
        stop_worker(reader, page)
