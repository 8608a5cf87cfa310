"""The manifest lists what works without a network, and says when any of it has changed."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from urllib.parse import unquote

import pytest

from warmup.exports import offline

HTML = """<!doctype html>
<link rel="canonical" href="../../elsewhere/">
<link rel="alternate" type="text/markdown" href="../copy.md">
<link rel="shortcut icon" href="../../icon.svg">
<link rel="stylesheet" href="../../all.css?theme=dark">
<link rel="stylesheet" href="https://example.com/foreign.css">
<link rel="stylesheet" href="//example.com/foreign.css">
<script src="../../with%20space.js"></script>
<script src="/absolute.js"></script>
<script type="module" src="../../assets/javascripts/practice/mode.js"></script>
<script>const never = '<img src="../../never.png">'</script>
<script id="__config" type="application/json">{"base": "../..", "search": "../../search.js"}</script>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><img src="gone.png"><img alt="without an address">
<p><a href="../other/">A link</a> <a href="../deck.apkg" download>A download</a> <img src="picture.png"></p>
"""
CSS = """@import "more.css"; @import url(more.css);
a { background: url("data:image/svg+xml,<svg fill='url(#a)'></svg>") } b { background: url( 'fonts/a.woff2' ) }
"""
JS = """import { a } from "../shared/part.js"
import "./mode/parts.js"
import {
  b,
} from "../../../not-there.js"
const text = "../other.js"
"""
LEFT_OUT = {
    *("404.html", "offline.js", "offline-store.js", "offline.json", "offline-release.json"),
    *("questions.json", "llms.txt", "offline/elsewhere/page.json"),
    *(
        "junior/print/index.html",
        "junior/a/b/b.ipynb",
        "practice/deck.apkg",
        "assets/javascripts/all.js.map",
        "junior/a/b.dot",
    ),
    *("assets/javascripts/lunr/min/lunr.de.min.js", "assets/wasm/torch.wasm", "assets/live/live.js"),
}
FILES = {
    "practice/index.html": "<p>",
    "practice/mode/index.html": HTML,
    "practice/mode/picture.png": "picture",
    "practice/cards.json": json.dumps(
        {"cards": [{"say": '<p><img alt="A" src="../../junior/plot.png"> <a href="../../other/">b</a></p>'}]}
    ),
    "practice/proofs/junior/topic.json": json.dumps(
        {"a": {"run": "<code>&lt;img src='../../never.png'></code>", "next": [{"answer": '<img src="../../b.png"/>'}]}}
    ),
    "junior/plot.png": "picture of a card",
    "b.png": "picture of an answer",
    "practice/copy.md": "copy",
    "index.html": "<p>",
    "plan/index.html": "<p>",
    "junior/index.html": "<p>",
    "senior/sheet/index.html": "<p>",
    "offline.html": "<p>",
    "junior/the-role/expectations/index.html": '<script src="../../../assets/javascripts/statements.js"></script>',
    "assets/javascripts/statements.js": "script",
    "junior/a/question/index.html": '<img src="only-here.png">',
    "junior/a/question/only-here.png": "picture",
    "junior/short/index.html": "<p>",
    "search/search_index.json": "[]",
    **dict.fromkeys(LEFT_OUT, "left out"),
    "assets/javascripts/practice/mode.js": JS,
    "assets/javascripts/practice/mode/parts.js": 'export * from "../mode.js"',
    "assets/javascripts/practice/of-no-page.js": "script",
    "assets/javascripts/shared/part.js": "script",
    "assets/javascripts/other.js": "of other pages",
    "elsewhere/index.html": "<p>",
    "other/index.html": "<p>",
    "icon.svg": "<svg>",
    "all.css": CSS,
    "more.css": "@import 'all.css';",
    "fonts/a.woff2": "font",
    "with space.js": "script",
    "search.js": "worker",
    "absolute.js": "script",
    "never.png": "picture",
}
PROMISED = {
    "",
    "plan/",
    "junior/",
    "senior/sheet/",
    "offline.html",
    "junior/the-role/expectations/",
    "assets/javascripts/statements.js",
    "practice/",
    "practice/mode/",
    "practice/mode/picture.png",
    "practice/cards.json",
    "practice/proofs/junior/topic.json",
    "junior/plot.png",
    "b.png",
    "assets/javascripts/practice/mode.js",
    "assets/javascripts/practice/mode/parts.js",
    "assets/javascripts/shared/part.js",
    "icon.svg",
    "all.css",
    "more.css",
    "fonts/a.woff2",
    "with%20space.js",
    "search.js",
}


def file_of(address: str) -> str:
    return unquote(address) + "index.html" * (address == "" or address.endswith("/"))


def build(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def site(tmp_path) -> Path:
    return build(tmp_path / "site", FILES)


def test_what_the_promised_pages_load_is_kept_unasked_and_nothing_else(site):
    assert set(offline.manifest(site)["files"]) == PROMISED


def test_the_whole_site_is_all_but_what_is_too_much_for_the_train(site):
    more = list(offline.manifest(site)["more"])
    assert {file_of(address) for address in [*PROMISED, *more]} == set(FILES) - LEFT_OUT
    assert not PROMISED & set(more)
    # A browser that stops in between has no page without its parts.
    pages = [address.endswith(("/", ".html")) for address in more]
    assert pages == sorted(pages)


def test_a_page_that_is_opened_is_kept_with_what_it_loads_and_the_page_that_says_what_is_not_kept(site):
    offline.write(site)
    lists = {
        path.parent.relative_to(site / "offline").as_posix(): json.loads(path.read_text())
        for path in (site / "offline").rglob("page.json")
    }
    made = offline.manifest(site)
    every = made["files"] | made["more"]
    assert {page["release"] for page in lists.values()} == {made["release"]}
    assert all(every[address] == described for page in lists.values() for address, described in page["files"].items())
    assert set(lists["junior/a/question"]["files"]) == {
        *("junior/a/question/", "junior/a/question/only-here.png", "offline.html"),
    }
    assert {"practice/mode/", "all.css", "fonts/a.woff2", "search.js"} < set(lists["practice/mode"]["files"])
    assert "junior/print" not in lists


def test_hashes_are_in_the_form_that_browsers_check_and_sizes_in_bytes(site):
    digest = base64.b64encode(hashlib.sha256(CSS.encode()).digest()).decode()
    assert offline.manifest(site)["files"]["all.css"] == [f"sha256-{digest}", len(CSS)]


def test_the_same_files_are_the_same_release_in_whatever_order_they_came(site, tmp_path):
    other = build(tmp_path / "other", dict(reversed(FILES.items())))
    for folder in (site, other, other):  # the second time with the manifest of the first in it
        offline.write(folder)
    assert (site / offline.MANIFEST).read_bytes() == (other / offline.MANIFEST).read_bytes()
    assert json.loads((site / offline.MANIFEST).read_text()) == offline.manifest(site)
    assert json.loads((site / offline.RELEASE).read_text()) == {"release": offline.manifest(site)["release"]}


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_release_is_another_one_exactly_when_a_listed_file_is(site, name):
    before = offline.manifest(site)
    (site / name).write_text(FILES[name] + " ", encoding="utf-8")
    after = offline.manifest(site)
    changed = [
        address
        for part in ("files", "more")
        for address in before[part]
        if before[part][address] != after[part][address]
    ]
    assert (before["release"] != after["release"]) == (name not in LEFT_OUT)
    assert [file_of(address) for address in changed] == [name] * (name not in LEFT_OUT)
