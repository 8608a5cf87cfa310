"""The kernels of the server: a few at a time, each with a folder of its own, none longer than the tab it belongs to."""

from __future__ import annotations

import asyncio
import os
import shutil
import uuid
from pathlib import Path
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import authorized
from jupyter_server.services.kernels.handlers import MainKernelHandler
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from tornado import web
from tornado.ioloop import IOLoop

from warmup.live.keys import PROTOCOL
from warmup.run import orphans

MOST = 8  # kernels at once: each takes a few hundred megabytes
LEFT = 10.0  # seconds that a kernel outlives the last page that was connected to it: the tab's next page takes it over
SWEEP = 0.5  # seconds between looks at what ended kernels have left


class Kernels(AsyncMappingKernelManager):
    """Kernels that end with the tab that they belong to, and all that their programs have started with them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._left: dict[str, object] = {}  # the waits for those that no page is connected to
        self._starting = 0
        if orphans.adopt():
            IOLoop.current().call_later(SWEEP, self._sweep)

    async def start_kernel(self, **options: Any) -> str:
        """Start one, whose temporary folder is in the server's.

        Raises:
            HTTPError: 503 if there are MOST already.
        """
        if len(self) + self._starting >= MOST:
            raise web.HTTPError(503, reason=f"{MOST} kernels run already")
        self._starting += 1
        kernel_id = str(uuid.uuid4())
        folder = self._folder(kernel_id)
        try:
            folder.mkdir(mode=0o700)
            env = {**os.environ, "TMPDIR": str(folder)}
            # IPython takes modules from the current folder, which may be anybody's.
            own = {"kernel_id": kernel_id, "env": env, "cwd": str(folder)}
            return await super().start_kernel(**{**options, **own})
        except BaseException:
            self._pending_kernels.pop(kernel_id, None)  # or the end of all kernels would wait for this one, and fail
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            self._starting -= 1

    async def shutdown_all(self, now: bool = False) -> None:
        """End them all, also if one of them does not end as it should; at once where we end what they leave."""
        now = now or orphans.adopting()
        ends = [ensure_async(self.shutdown_kernel(one, now=now)) for one in {*self._kernels, *self._pending_kernels}]
        await asyncio.gather(*ends, return_exceptions=True)

    def _folder(self, kernel_id: str) -> Path:
        # The addresses of a program's sockets are in folders below it, and must be short.
        return Path(self.root_dir, kernel_id[:8])

    def remove_kernel(self, kernel_id: str) -> Any:
        kernel = super().remove_kernel(kernel_id)
        shutil.rmtree(self._folder(kernel_id), ignore_errors=True)
        return kernel

    def _sweep(self) -> None:
        """End what ended kernels have left: it has become ours."""
        IOLoop.current().call_later(SWEEP, self._sweep)
        own = {getattr(kernel.provisioner, "pid", None) for kernel in self._kernels.values()}
        known = {pid for pid in own if pid is not None}
        # A child may be a kernel that is about to be known.
        if not self._starting and known == own and not orphans.found_none(known):
            orphans.end(known, seconds=SWEEP / 5)

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


class Start(MainKernelHandler):
    """Starts a kernel; a page has no say in which, or where."""

    @web.authenticated
    @authorized
    async def post(self) -> None:
        if self.request.body not in (b"", b"{}"):
            raise web.HTTPError(400)
        await super().post()


class Channels(KernelWebsocketHandler):
    """The WebSocket of a page to its kernel, in Jupyter's older protocol: text only."""

    def select_subprotocol(self, subprotocols: list[str]) -> str | None:
        return PROTOCOL if PROTOCOL in subprotocols else None

    def on_message(self, ws_message: str | bytes) -> None:
        """Pass a message on, or close the connection to who sends what is none."""
        if isinstance(ws_message, bytes):  # a length in it would be believed
            self.close(1003, "text only")
            return
        try:
            super().on_message(ws_message)
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
            self.close(1007, "no message")
