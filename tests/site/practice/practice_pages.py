"""What tests of all practice modes need: what is stored, storage that fails, and what holds in every state."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page

KEY = "torch-warmup"


def stored(page: Page, kind: str = "") -> dict:
    """The entries that are stored, by name; those of a kind by id."""
    text = page.evaluate("key => localStorage.getItem(key)", KEY) or '{"entries": {}}'
    prefix = f"{kind}:" if kind else ""
    entries = json.loads(text)["entries"].items()
    return {name.removeprefix(prefix): entry for name, entry in entries if name.startswith(prefix)}


def state(entries: dict, **more) -> str:
    """The text that a browser stores."""
    return json.dumps({"version": 1, "since": 0, "entries": entries, **more})


def put(page: Page, entries: dict | str) -> None:
    """Store entries, or a text, which may be damaged."""
    text = entries if isinstance(entries, str) else state(entries)
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])


def with_stored(open_page, path: str, entries: dict | str) -> Page:
    """The page, opened by a browser that has this progress stored."""
    page = open_page("404.html")
    put(page, entries)
    page.goto(page.url.replace("404.html", path))
    return page


def block_storage(where: Page | BrowserContext) -> None:
    """From the next page on, reading these names throws, as where a browser forbids storage."""
    where.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, "
        "{ configurable: true, get() { throw new DOMException('denied', 'SecurityError') } })"
    )


def fill_storage(page: Page) -> None:
    """Take all of the storage's room."""
    page.evaluate("""() => {
        for (let size = 1 << 20; size >= 1; size >>= 1) {
            try { for (let i = 0; ; i++) localStorage.setItem(`filler${size}.${i}`, "x".repeat(size)) } catch {}
        }
    }""")


def with_a_still_clock(open_page, path: str, at: str = "2026-01-05T10:00:00") -> Page:
    """The page, opened while the browser's clock stands still; ``page.clock`` moves it."""
    page = open_page("assets/images/favicon.svg", service_workers="block")
    # Material's own timers log errors when a clock jumps.
    page.route("**/javascripts/bundle.*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.clock.install(time=at)
    page.goto(page.url.replace("assets/images/favicon.svg", path))
    page.clock.pause_at(datetime.fromisoformat(at) + timedelta(minutes=1))
    return page


def check_with_axe(page: Page, name: str, context: str | None = None, *, colors_only: bool = False) -> None:
    """No violation in this state of the page, or in the part that a selector names."""
    results = Axe().run(
        page, context, {"runOnly": ["color-contrast"]} if colors_only else {"resultTypes": ["violations"]}
    )
    assert results.violations_count == 0, f"{name}: {results.generate_report()}"


def check_on_a_phone(page: Page, name: str, controls: str) -> None:
    """Nothing scrolls sideways, and fingers hit the controls that a selector names, except small ones in code."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    small = page.evaluate(
        """controls => [...document.querySelectorAll(controls)]
        .filter(one => one.checkVisibility() && !one.closest("pre, .md-code__nav, details details"))
        .filter(one => one.getBoundingClientRect().height < 40)
        .map(one => one.outerHTML.slice(0, 80))""",
        controls,
    )
    assert not small, f"{name}: {small}"
