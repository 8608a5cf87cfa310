"""One process at one origin that serves the built site and the kernels in which its programs run.

It is ``jupyter_server``, reduced to kernels. Who can reach it could run any program as the user who started it, so:
it listens on the loopback interface only, answers no other host name, and asks each request about kernels for a token
that is new at each start. The page gets the token in the fragment of the address that is printed, which no browser
sends to anybody. There is no cookie that would log in: browsers send those to every port of this machine.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.auth import IdentityProvider
from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado import web
from tornado.ioloop import IOLoop
from traitlets.config import Config

API = "/jupyter/"
LEFT = 10.0  # seconds that a kernel outlives the last page that was connected to it: the tab's next page takes it over
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# Settings of the user's own Jupyter and Python must not open what is closed here.
FOREIGN = ("JUPYTER", "IPYTHON", "JPY_", "PYTHONSTARTUP", "PYTHONINSPECT")


class TokenOnly(IdentityProvider):
    """Takes whoever sends the token for the user. Nobody is recognized by a cookie, and nobody can log in or out."""

    def get_user_cookie(self, handler: web.RequestHandler) -> None:
        return None

    def set_login_cookie(self, handler: web.RequestHandler, user: object) -> None:
        pass

    def get_handlers(self) -> list[tuple[str, object]]:
        return []

    def should_check_origin(self, handler: web.RequestHandler) -> bool:
        return True  # also of a request that has the token


class Kernels(AsyncMappingKernelManager):
    """Kernels that end with the tab that they belong to."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._left: dict[str, object] = {}  # the waits for those that no page is connected to

    def notify_connect(self, kernel_id: str) -> None:
        super().notify_connect(kernel_id)
        self._forget(kernel_id)

    def notify_disconnect(self, kernel_id: str) -> None:
        """A page has gone: stop what it runs at once, and its kernel if no other page takes it over."""
        super().notify_disconnect(kernel_id)
        if kernel_id in self and not self._kernel_connections.get(kernel_id):
            if self._kernels[kernel_id].execution_state == "busy":
                IOLoop.current().add_callback(self.interrupt_kernel, kernel_id)
            self._end_soon(kernel_id)

    async def _finish_kernel_start(self, kernel_id: str) -> None:
        await super()._finish_kernel_start(kernel_id)
        if not self._kernel_connections.get(kernel_id):
            self._end_soon(kernel_id)

    def _end_soon(self, kernel_id: str) -> None:
        self._forget(kernel_id)
        self._left[kernel_id] = IOLoop.current().call_later(LEFT, self._end, kernel_id)

    def _forget(self, kernel_id: str) -> None:
        if wait := self._left.pop(kernel_id, None):
            IOLoop.current().remove_timeout(wait)

    async def _end(self, kernel_id: str) -> None:
        self._left.pop(kernel_id, None)
        if kernel_id in self:
            await ensure_async(self.shutdown_kernel(kernel_id, now=True))


class SiteHandler(JupyterHandler, web.StaticFileHandler):
    """The built site, for everybody who asks under a name of this machine."""

    @allow_unauthenticated
    def get(self, path: str, include_body: bool = True) -> Awaitable[None]:
        return web.StaticFileHandler.get(self, path, include_body)

    @allow_unauthenticated
    def head(self, path: str) -> Awaitable[None]:
        return web.StaticFileHandler.get(self, path, include_body=False)

    def set_extra_headers(self, path: str) -> None:
        self.set_header("Cache-Control", "no-cache")

    def write_error(self, status_code: int, **_: Any) -> None:
        page = Path(self.root, "404.html")
        if status_code == 404 and page.exists():
            self.set_header("Content-Type", "text/html; charset=utf-8")
            self.finish(page.read_bytes())
        else:
            self.set_header("Content-Type", "text/plain; charset=utf-8")
            self.finish(f"{status_code} {self._reason}")


class Server(ServerApp):
    """``jupyter_server`` with kernels and nothing else: no files, no terminals, no notebooks, no way to stop it."""

    default_services = ("kernels",)
    no_browser_open_file = True  # the token would stand in it
    site: Path

    def load_config_file(self, suppress_errors: bool = True) -> None:
        """Read none."""

    def write_server_info_file(self) -> None:
        """Write none: the token would stand in it."""

    def init_webapp(self) -> None:
        super().init_webapp()
        options = {"path": str(self.site), "default_filename": "index.html"}
        self.web_app.add_handlers(".*$", [(rf"/(?!{API.strip('/')}/)(.*)", SiteHandler, options)])

    def init_signal(self) -> None:
        super().init_signal()
        signal.signal(signal.SIGINT, self._signal_stop)


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
            "identity_provider_class": TokenOnly,
            "kernel_manager_class": Kernels,
            # A ping may not wait longer than the time between two.
            "tornado_settings": {"headers": HEADERS, "ws_ping_interval": 30_000, "ws_ping_timeout": 30_000},
        }
    )
    config.IdentityProvider.token = token
    config.MappingKernelManager.buffer_offline_messages = False
    config.KernelSpecManager.kernel_dirs = []  # the Python that runs this, and no kernel that somebody installed
    # Through a TCP port any user of this machine could listen to what a program prints.
    config.ConnectionFileMixin.transport = "ipc"
    return config


def serve(site: Path, port: int) -> int:
    """Serve a built site and its kernels until a signal ends this.

    Args:
        site: the folder that was built with ``LIVE=1``.
        port: of the loopback interface.

    Returns:
        The exit code: 1 if the port is taken.
    """
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        del os.environ[name]
    # The addresses of ZMQ's sockets must be short, and a Mac's own folder for temporary files has a long name.
    short = "/tmp" if os.path.isdir("/tmp") else None
    folder = Path(tempfile.mkdtemp(prefix="warmup-", dir=short))  # for its owner only
    try:
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
            os.environ[name] = str(folder)
        os.environ["JUPYTER_NO_CONFIG"] = "1"
        token = secrets.token_urlsafe(32)
        Server.site = site.resolve()
        app = Server.instance(config=settings(port, token, folder))
        try:
            app.initialize(argv=[], find_extensions=False)
        except SystemExit:
            print(f"Port {port} is taken: make live PORT={port + 1}", file=sys.stderr)
            return 1
        app.io_loop.add_callback(announce, port, token)
        app.start()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def announce(port: int, token: str) -> None:
    """Say where the site is. What follows `#` stays in the reader's browser."""
    print(f"Open http://127.0.0.1:{port}/#token={token}\nCtrl+C ends it.", flush=True)
