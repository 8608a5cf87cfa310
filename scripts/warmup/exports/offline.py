"""What a browser keeps for when there is no network: files of the built site, each with its hash and its size.

A page that is opened it keeps with what that page loads: each page has a small list of its own. Some it keeps after a
visit to practice, unasked: what practice, plans, cheat sheets, statements and lists of questions load. More it keeps
only if the reader asks for the whole site. All lists are made from the built site, so that a new practice mode, a new
style sheet or a new name of one of Material's files is on them without anyone's doing. ``docs/offline-store.js`` is
their reader.
"""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from warmup.exports import cards
from warmup.vocabulary import LEVELS

FOLDER = "practice/"
MANIFEST = "offline.json"
# What a page that is opened asks for, because it is small.
RELEASE = "offline-release.json"
# The list of a page is below this folder, at the page's address.
PAGES = "offline/"
LIST = "page.json"
NOT_HERE = "offline.html"

_PROMISED = [
    f"{FOLDER}**/index.html",
    f"{FOLDER}**/*.json",
    *("index.html", "plan/index.html", "questions/index.html", NOT_HERE),
    *(f"{level}/{page}index.html" for level in LEVELS for page in ("", "sheet/")),
]
_STATEMENTS = b"assets/javascripts/statements.js"
# Of no use in the train, or too much for it: levels on one page, files for other programs, what only machines read. The
# deck is also another one in each build, so that none would be the same release.
_LEFT_OUT = re.compile(
    r".*/print/index\.html|.*\.(map|ipynb|apkg|dot|pdf|xml|gz|txt)|assets/(javascripts/lunr|wasm|live)/.*"
    r"|questions(\.schema)?\.json|404\.html|offline(-(release|store))?\.js(on)?|offline/.*"
)

_LOADED_LINKS = {"stylesheet", "icon", "preload", "modulepreload"}
_LINK = re.compile(r"<link\b[^>]*>")
_INSIDE_SCRIPT = re.compile(r"(<script\b[^>]*>).*?(?=</script)", re.S)
_ATTRIBUTE = re.compile(r'\b(rel|href)="([^"]*)"')
_SOURCE = re.compile(r'<[^>]*?\s(?:src|data-starter)="([^"]*)"')
_CONFIG = re.compile(r'<script id="__config" type="application/json">(.*?)</script>', re.S)
# A script's own imports, written as these scripts write them: with double quotes and relative.
_IN_JS = re.compile(r"""\b(?:from|import)\s*\(?\s*"(\.{1,2}/[^"]+)\"""")
_IN_CSS = re.compile(r"""url\(\s*(['"]?)(.*?)\1\s*\)|@import\s+(['"])(.*?)\3""")


def _loaded(text: str) -> Iterator[str]:
    """The addresses that HTML makes a browser load, as they stand there.

    It also takes an attribute that the text of a page quotes for one. That names no file of the site, and is left out.
    """
    text = _INSIDE_SCRIPT.sub(r"\1", text)
    for tag in _LINK.findall(text):
        found = dict(_ATTRIBUTE.findall(tag))
        if not _LOADED_LINKS.isdisjoint(found.get("rel", "").split()):
            yield unescape(found.get("href", ""))
    yield from map(unescape, _SOURCE.findall(text))


def _addresses(file: str, text: str) -> Iterator[str]:
    """What an HTML file, a style sheet, a script or the HTML in JSON makes a browser load, as it stands there."""
    if file.endswith(".html"):
        yield from _loaded(text)
        # Material's script starts the search in a worker of this name, also where nobody searches.
        yield from (json.loads(config)["search"] for config in _CONFIG.findall(text))
    elif file.endswith(".js"):
        yield from _IN_JS.findall(text)
    elif file.endswith(".css"):
        yield from (match[2] or match[4] or "" for match in _IN_CSS.finditer(text))
    elif file.endswith(".json"):
        for fragment in _strings(json.loads(text)):
            if "src=" in fragment:  # to look through all of them would be the most of a reload
                yield from _loaded(fragment)


def _strings(value: object) -> Iterator[str]:
    """All strings within a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _resolve(file: str, address: str) -> str | None:
    """The file below the site's root that an address in ``file`` names; None for what is not a file of the site."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc or not parts.path or parts.path.startswith("/"):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), unquote(parts.path)))


def promised(site: Path) -> list[str]:
    """Files below the site's root that the pages need which work after a visit to practice, sorted.

    Args:
        site: the built site's folder.
    """
    first = {path for pattern in _PROMISED for path in site.glob(pattern)}
    first |= {path for path in site.glob("*/*/*/index.html") if _STATEMENTS in path.read_bytes()}
    return sorted(_loads(site, {path.relative_to(site).as_posix() for path in first}))


def _loads(site: Path, first: set[str]) -> set[str]:
    """These files and all that they make a browser load."""
    waiting, found = list(first), set[str]()
    while waiting:
        file = waiting.pop()
        # A file that is named but not there would keep the whole from being kept; the build has warned of it.
        if file in found or not (site / file).is_file():
            continue
        found.add(file)
        if file.endswith((".html", ".css", ".js", ".json")):
            state = (site / file).stat()
            waiting += _parts(site, file, state.st_mtime_ns, state.st_size)
    return found


@cache
def _parts(site: Path, file: str, *state: int) -> tuple[str, ...]:
    """What this file makes a browser load; while a site is served, again only where the state of the file changes."""
    # What a card shows stands on a page that shows cards.
    base = cards.PAGE if file.endswith(".json") else file
    text = (site / file).read_text(encoding="utf-8")
    return tuple(filter(None, (_resolve(base, address) for address in _addresses(file, text))))


def _rest(site: Path, but: list[str]) -> list[str]:
    """The other files of the whole site; pages last, so that a page that a browser has is one whose parts it has."""
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()} - set(but)
    kept = (file for file in files if not _LEFT_OUT.fullmatch(file))
    return sorted(kept, key=lambda file: (file.endswith(".html"), file))


def _described(site: Path, files: list[str]) -> dict[str, list[str | int]]:
    """By address: the hash and the number of bytes."""
    described: dict[str, list[str | int]] = {}
    for file in files:
        state = (site / file).stat()
        is_page = file == "index.html" or file.endswith("/index.html")
        address = quote(file.removesuffix("index.html") if is_page else file)
        described[address] = [_hash(site / file, state.st_mtime_ns, state.st_size), state.st_size]
    return described


@cache
def _hash(path: Path, *state: int) -> str:
    """In the form of Subresource Integrity; while a site is served, again only where the state of the file changes."""
    return f"sha256-{base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()}"


def manifest(site: Path) -> dict:
    """The release that a built site is.

    Args:
        site: the built site's folder.

    Returns:
        ``files`` maps each address of what is kept unasked, relative to the site's root, to its hash in the form of
        Subresource Integrity, which browsers check while they fetch, and its size in bytes; ``more`` is the rest of the
        whole site; ``release`` is one hash over all of it.
    """
    first = promised(site)
    lists = {"files": _described(site, first), "more": _described(site, _rest(site, but=first))}
    return {"release": hashlib.sha256(json.dumps(lists, sort_keys=True).encode()).hexdigest(), **lists}


def pages(site: Path) -> dict[str, dict[str, list[str | int]]]:
    """What is kept of each page that is opened: in the form of ``files`` of the manifest, by the page's folder.

    With each comes the page that says what is not kept.
    """
    found = (path.relative_to(site).as_posix() for path in site.rglob("index.html"))
    return {
        page.removesuffix("index.html"): _described(site, sorted(_loads(site, {page, NOT_HERE})))
        for page in found
        if not _LEFT_OUT.fullmatch(page)
    }


def write(site: Path) -> None:
    """Write the manifest of a built site, and the list of each page, into it."""
    made = manifest(site)
    (site / MANIFEST).write_text(json.dumps(made, separators=(",", ":")), encoding="utf-8")
    (site / RELEASE).write_text(json.dumps({"release": made["release"]}), encoding="utf-8")
    for page, files in pages(site).items():
        (site / PAGES / page).mkdir(parents=True, exist_ok=True)
        text = json.dumps({"release": made["release"], "files": files}, separators=(",", ":"))
        (site / PAGES / page / LIST).write_text(text, encoding="utf-8")
