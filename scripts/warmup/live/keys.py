"""Who may run programs: whoever sends the token. The printed address has a key, which gets the token once.

A browser keeps the addresses that it opened, in its history and in the tabs that it restores, and may send them to
other devices. So what stands in the address works once and for a minute, and the page that used it has the token in
its `sessionStorage`, which ends with the tab.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any

from jupyter_server.auth import IdentityProvider
from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.base.handlers import JupyterHandler
from tornado import web

LASTS = 60.0  # seconds that a key can be used
PROTOCOL = "torch-warmup"
_IN_PROTOCOL = "token."


class Keys:
    """The token of this start, and the keys that get it.

    clock: what tells the seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.token = secrets.token_urlsafe(32)
        self._clock = clock
        self._until: dict[str, float] = {}

    def new(self) -> str:
        """A key of 256 random bits."""
        key = secrets.token_urlsafe(32)
        self._until[key] = self._clock() + LASTS
        return key

    def use(self, key: str) -> str | None:
        """The token, for a key that is new enough and was not used before."""
        until = self._until.pop(key, 0.0)
        return self.token if self._clock() < until else None


class Plain(JupyterHandler):
    """Says what went wrong in plain text, without asking who asked, which it may be too early to know."""

    def write_error(self, status_code: int, **_: Any) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{status_code} {self._reason}")


class KeyHandler(Plain):
    """Gives the token for a key, to the page of this server only."""

    def initialize(self, keys: Keys) -> None:
        self.keys = keys

    def check_xsrf_cookie(self) -> None:
        """Not needed: who knows the key is no other page, and the origin is compared."""

    @allow_unauthenticated
    def post(self) -> None:
        if self.request.headers.get("Origin") != f"http://{self.request.host}":
            raise web.HTTPError(403)
        token = self.keys.use(self.request.body.decode("ascii", "replace"))
        if token is None:
            raise web.HTTPError(403)
        self.set_header("Cache-Control", "no-store")
        self.finish({"token": token})


class TokenOnly(IdentityProvider):
    """Takes whoever sends the token for the user. Nobody is recognized by a cookie, and nobody can log in or out."""

    def get_token(self, handler: web.RequestHandler) -> str | None:
        """The token of a request: in its header or, for a WebSocket, among the protocols that it offers.

        It is never taken from the address, which stands in logs.
        """
        offered = handler.request.headers.get("Sec-WebSocket-Protocol", "")
        for protocol in offered.split(","):
            if protocol.strip().startswith(_IN_PROTOCOL):
                return protocol.strip().removeprefix(_IN_PROTOCOL)
        found = self.auth_header_pat.fullmatch(handler.request.headers.get("Authorization", ""))
        return found[2] if found else None

    async def get_user_token(self, handler: web.RequestHandler) -> Any:
        sent = self.get_token(handler)
        if sent is None or not secrets.compare_digest(sent.encode(), self.token.encode()):
            return None
        return self.generate_anonymous_user(handler)

    def get_user_cookie(self, handler: web.RequestHandler) -> None:
        return None

    def set_login_cookie(self, handler: web.RequestHandler, user: object) -> None:
        pass

    def get_handlers(self) -> list[tuple[str, object]]:
        return []

    def should_check_origin(self, handler: web.RequestHandler) -> bool:
        return True  # also of a request that has the token
