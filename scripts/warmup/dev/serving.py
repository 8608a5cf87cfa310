"""A folder served over HTTP on a free port, as a static host serves a site: for the browser tests and `make bench`."""

from __future__ import annotations

import contextlib
import functools
import gzip
import http.server
import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

TEXT = (".html", ".css", ".js", ".json", ".svg", ".xml", ".txt", ".py")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log line each, and the site's own page where there is no file.

    Args:
        prefix: the path below which the site lies in the folder, with a slash at both ends.
        compress: whether text is sent compressed and may be kept for ten minutes, as GitHub Pages has it.
    """

    protocol_version = "HTTP/1.1"

    def __init__(self, *args, prefix: str, compress: bool, **options) -> None:
        self.prefix, self.compress = prefix, compress
        super().__init__(*args, **options)  # answers the request

    def log_message(self, *_) -> None:
        pass

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        if not self.compress or path.suffix not in TEXT or not path.is_file():
            return super().send_head()
        body = gzip.compress(path.read_bytes(), 9)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def end_headers(self) -> None:
        if self.compress:
            self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory + self.prefix, "404.html")
        if code != 404 or not page.exists():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@contextlib.contextmanager
def served(folder: Path, prefix: str = "/", *, compress: bool = False) -> Iterator[str]:
    """Serve ``folder`` while the context lasts.

    Args:
        folder: what the host's root is.
        prefix: where the site lies below it, with a slash at both ends.
        compress: see `Handler`.

    Yields:
        The site's address, which ends in a slash.
    """
    handler = functools.partial(Handler, directory=str(folder), prefix=prefix, compress=compress)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    # It ends when it next looks whether it shall; by itself it looks twice a second.
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
    finally:
        server.shutdown()
        server.server_close()
