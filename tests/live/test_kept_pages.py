"""What holds for a page of the server also holds where the browser's own worker shows what it has kept of it."""

from __future__ import annotations

import http.server
import threading

import pytest

from live_server import until

PAGE = "practice/write/"
SAID = ("content-security-policy", "cross-origin-opener-policy", "referrer-policy", "x-content-type-options")
COMPLETE = """async () => {
  for (const name of await caches.keys()) if (await (await caches.open(name)).match("/offline.json")) return true
  return false
}"""


@pytest.fixture
def kept(open_live):
    """A page of a browser that has kept all practice pages."""
    page = open_live("practice/")
    until(lambda: page.evaluate(COMPLETE), 120)
    return page


@pytest.fixture
def stranger():
    """The address of another server of this machine, which shows what is put into `html`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_) -> None:
            pass

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(server.html)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.html = b""
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


# Of a cache that is older than the policies: the page in it says nothing.
SAYS_NOTHING = """async address => {
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    const kept = await cache.match(address)
    if (kept) await cache.put(address, new Response(await kept.text(), { headers: { "Content-Type": "text/html" } }))
  }
}"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_no_kept_page_can_be_framed(kept, live, stranger, host):
    kept.evaluate(SAYS_NOTHING, f"{live.address}/{PAGE}")
    stranger.html = f'<!doctype html><iframe src="{live.address}/{PAGE}"></iframe>'.encode()
    page = kept.context.new_page()
    page.goto(f"http://{host}:{stranger.server_port}/")
    page.wait_for_timeout(1000)
    assert not any(frame.query_selector("#content") for frame in page.frames)


def test_a_kept_page_says_what_the_server_says(kept, live):
    page = kept.context.new_page()
    response = page.goto(f"{live.address}/{PAGE}")
    assert response.from_service_worker
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    assert [name for name in SAID if name not in response.headers] == []


def test_whoever_opens_a_kept_page_has_no_hold_of_it(kept, live, stranger):
    opener = kept.context.new_page()
    opener.goto(f"http://127.0.0.1:{stranger.server_port}/")
    with kept.context.expect_page() as opened:
        opener.evaluate("address => { globalThis.opened = open(address) }", f"{live.address}/{PAGE}")
    opened.value.wait_for_selector("#content")
    assert opener.evaluate("opened.closed")
    assert opened.value.evaluate("opener === null")


def test_a_key_is_in_no_address_where_the_worker_leads_elsewhere(kept, live):
    page = kept.context.new_page()
    key = live.key()
    kept.context.set_offline(True)
    page.goto(f"{live.address}/no/such/page/#key={key}", wait_until="commit")
    page.wait_for_selector("#tw-wanted")
    page.wait_for_function("location.hash === ''")  # the page takes it away
    assert "page=" in page.url and key not in page.url
