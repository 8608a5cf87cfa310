"""One process at one origin that serves the built site and the kernels in which its programs run.

It is ``jupyter_server``, reduced to kernels. Who can reach it could run any program as the user who started it, so:
it listens on the loopback interface only, answers no other host name, and asks each request about kernels for a token
that is new at each start. The page gets the token for a key that works once, which is in the fragment of the address
that is printed: no browser sends that to anybody. There is no cookie that would log in: browsers send those to every
port of this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
from collections.abc import Awaitable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.serverapp import ServerApp
from tornado import web
from tornado.httputil import HTTPServerRequest
from tornado.routing import Matcher, Rule
from traitlets.config import Config

from warmup.live import port as ports
from warmup.live import terminal
from warmup.live.kernels import Channels, Kernels, Start
from warmup.live.keys import KeyHandler, Keys, Plain, TokenOnly
from warmup.run import orphans

API = "/jupyter/"
KERNEL = r"(?P<kernel_id>\w+-\w+-\w+-\w+-\w+)"
HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")
BODY = 64 * 1024  # bytes of a request; programs come through the WebSocket
MESSAGE = 2 * 1024 * 1024  # bytes of a message
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Unwelcome(Matcher):
    """Matches what no page of this site asks: a foreign host name or origin, a path that no file has."""

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        # Jupyter would compare hosts alone, and fail where the origin is no address.
        foreign = request.headers.get("Origin") not in (None, f"http://{request.host}")
        if foreign or not HOST.fullmatch(request.host):
            return {"target_kwargs": {"status": 403}}
        return {"target_kwargs": {"status": 400}} if "\0" in unquote(request.path) else None


class Refusal(web.RequestHandler):
    """Says no, whatever is asked."""

    def initialize(self, status: int) -> None:
        self.status = status

    def check_xsrf_cookie(self) -> None:
        """Not needed: nothing is done."""

    def prepare(self) -> None:
        self.set_status(self.status)
        self.finish()


class SiteHandler(Plain, web.StaticFileHandler):
    """The built site, for everybody who asks under a name of this machine."""

    @allow_unauthenticated
    def get(self, path: str, include_body: bool = True) -> Awaitable[None]:
        return web.StaticFileHandler.get(self, path, include_body)

    @allow_unauthenticated
    def head(self, path: str) -> Awaitable[None]:
        return web.StaticFileHandler.get(self, path, include_body=False)

    def set_extra_headers(self, path: str) -> None:
        self.set_header("Cache-Control", "no-cache")

    def write_error(self, status_code: int, **info: Any) -> None:
        page = Path(self.root, "404.html")
        if status_code == 404 and page.exists():
            self.set_header("Content-Type", "text/html; charset=utf-8")
            self.finish(page.read_bytes())
        else:
            super().write_error(status_code, **info)


class Server(ServerApp):
    """``jupyter_server`` with kernels and nothing else: no files, no terminals, no notebooks, no way to stop it."""

    default_services = ("kernels",)
    no_browser_open_file = True  # the token would stand in it
    site: Path
    keys: Keys

    def load_config_file(self, suppress_errors: bool = True) -> None:
        """Read none."""

    def write_server_info_file(self) -> None:
        """Write none: the token would stand in it."""

    def init_webapp(self) -> None:
        super().init_webapp()
        options = {"path": str(self.site), "default_filename": "index.html"}
        self.web_app.add_handlers(
            ".*$",
            [
                (rf"/(?!{API.strip('/')}/)(.*)", SiteHandler, options),
                (f"{API}key", KeyHandler, {"keys": self.keys}),
                (f"{API}api/kernels", Start),
                (f"{API}api/kernels/{KERNEL}/channels", Channels),
                (f"{API}(?!api/kernels(/|$)).*", Refusal, {"status": 404}),
            ],
        )
        self.web_app.default_router.rules.insert(0, Rule(Unwelcome(), Refusal))

    def init_signal(self) -> None:
        super().init_signal()
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):  # a closed terminal sends the second
            signal.signal(number, self._signal_stop)


def settings(port: int, token: str, folder: Path) -> Config:
    """How the server is set; see the module."""
    config = Config()
    config.ServerApp.update(
        {
            "ip": "127.0.0.1",
            "port": port,
            "port_retries": 0,
            "base_url": API,
            "default_url": API,
            "root_dir": str(folder),
            "open_browser": False,
            "allow_root": True,  # as in a container
            "allow_remote_access": False,
            "allow_unauthenticated_access": False,
            "disable_check_xsrf": False,
            "allow_origin": "",
            "allow_credentials": False,
            "quit_button": False,
            "jpserver_extensions": {},
            "log_level": "ERROR",
            "max_body_size": BODY,
            "identity_provider_class": TokenOnly,
            "kernel_manager_class": Kernels,
            "tornado_settings": {
                "headers": HEADERS,
                # None: a closed tab closes its connection, and an answer late by a millisecond would close it too.
                "ws_ping_interval": 0,
                "websocket_max_message_size": MESSAGE,
            },
        }
    )
    config.IdentityProvider.token = token
    config.MappingKernelManager.buffer_offline_messages = False
    config.KernelSpecManager.kernel_dirs = []  # the Python that runs this, and no kernel that somebody installed
    # Through a TCP port any user of this machine could listen to what a program prints.
    config.ConnectionFileMixin.transport = "ipc"
    return config


def serve(site: Path, port: int | None = None) -> int:
    """Serve a built site and its kernels until a signal ends this.

    Args:
        site: the folder that was built with ``LIVE=1``.
        port: of the loopback interface; None takes the one of this clone.

    Returns:
        The exit code: 1 if the port is taken, or cannot be kept.
    """
    own, drawn = port is None, False
    if port is None:
        try:
            port, drawn = ports.own()
        except OSError as error:
            terminal.not_kept(error)
            return 1
    if not ports.free(port):
        terminal.taken(port, own)
        return 1
    # The addresses of ZMQ's sockets must be short, and a Mac's own folder for temporary files has a long name.
    short = "/tmp" if os.path.isdir("/tmp") else None
    folder = Path(tempfile.mkdtemp(prefix="warmup-", dir=short))  # for its owner only
    try:
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "TMPDIR"):
            os.environ[name] = str(folder)
        tempfile.tempdir = None  # what was found out of TMPDIR before
        os.environ["JUPYTER_NO_CONFIG"] = "1"
        Server.site, Server.keys = site.resolve(), Keys()
        app = Server.instance(config=settings(port, Server.keys.token, folder))
        try:
            app.initialize(argv=[], find_extensions=False)
        except SystemExit:
            terminal.taken(port, own)
            return 1
        if drawn:
            terminal.first(port)
        app.io_loop.add_callback(terminal.announce, port, Server.keys)
        app.io_loop.add_callback(terminal.announce_on_enter, app.io_loop.asyncio_loop, port, Server.keys)
        app.start()
    finally:
        orphans.end(())
        shutil.rmtree(folder, ignore_errors=True)
    return 0
