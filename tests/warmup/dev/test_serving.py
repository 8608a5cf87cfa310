"""A site on a free port: below a path, with its own page for what is not there, compressed where that is asked for."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import urllib.error
import urllib.parse
import urllib.request

import pytest

from warmup.dev.serving import served

TEXT = "text, " * 100


@pytest.fixture
def host(tmp_path):
    """A folder that stands for a host, with a site below ``/site/``."""
    site = tmp_path / "site"
    (site / "page").mkdir(parents=True)
    (site / "page" / "index.html").write_text(TEXT)
    (site / "404.html").write_text("the site's own")
    (site / "picture.png").write_bytes(b"\x89PNG")
    return tmp_path


def get(address: str):
    """Status, headers and body, as they were sent."""
    try:
        with urllib.request.urlopen(address, timeout=10) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def test_text_is_compressed_where_that_is_asked_for_and_nothing_else_is(host):
    with served(host, "/site/", compress=True) as address:
        for path in ("page/", "page/index.html?query"):
            status, headers, body = get(address + path)
            assert (status, gzip.decompress(body).decode()) == (200, TEXT)
            assert headers["Content-Type"].startswith("text/html")
            assert headers.get_all("Cache-Control") == ["max-age=600"]
            assert int(headers["Content-Length"]) == len(body) < len(TEXT)
        status, headers, body = get(address + "picture.png")
        assert (status, body, headers["Content-Encoding"]) == (200, b"\x89PNG", None)
    with served(host, "/site/") as address:
        status, headers, body = get(address + "page/")
        assert (status, body.decode(), headers["Content-Encoding"], headers["Cache-Control"]) == (200, TEXT, None, None)


@pytest.mark.parametrize("compress", [False, True])
def test_what_is_not_there_is_answered_with_the_site_s_own_page(host, compress):
    with served(host, "/site/", compress=compress) as address:
        status, _, body = get(address + "nothing/")
        assert (status, body) == (404, b"the site's own")


def test_one_connection_serves_several_requests(host):
    with served(host, "/site/", compress=True) as address:
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc, timeout=10)
        with contextlib.closing(connection):
            for method, path, status in (("HEAD", "nothing/", 404), ("HEAD", "page/", 200), ("GET", "page/", 200)):
                connection.request(method, f"/site/{path}")
                response = connection.getresponse()
                response.read()
                assert response.status == status


def test_without_such_a_page_the_server_says_it_and_logs_nothing(host, capfd):
    with served(host) as address:
        assert get(address + "nothing/")[0] == 404
        assert get(address + "site/page/")[0] == 200
    assert capfd.readouterr().err == ""
