"""Links, weight and requests of the built site."""

from __future__ import annotations

import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

from warmup import pages
from warmup.testing import PREFIX

BASE = f"https://example.com{PREFIX}"


class Collector(HTMLParser):
    """Ids, links and embedded resources of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.resources: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "a" and found.get("href") is not None:
            self.links.append(found["href"])
        elif tag in ("img", "script", "source", "iframe") and found.get("src"):
            self.resources.append(found["src"])
        elif tag == "link" and found.get("href") and found.get("rel") not in ("canonical", "prev", "next"):
            self.resources.append(found["href"])


@pytest.fixture(scope="module")
def collected(site) -> dict[str, Collector]:
    """Every page by its address below the site."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        address = name.removesuffix("index.html") if name.endswith("index.html") else name
        found[address] = Collector(path.read_text(encoding="utf-8"))
    return found


def target_of(page: str, link: str) -> tuple[str, str] | None:
    """The address below the site that a link leads to, and its anchor; None where it leaves the site."""
    base = BASE if page == "404.html" else urljoin(BASE, page)
    url, anchor = urldefrag(urljoin(base, link))
    if not url.startswith(BASE) or urlsplit(url).scheme not in ("http", "https"):
        return None
    return unquote(urlsplit(url).path.removeprefix(PREFIX)), unquote(anchor)


def test_every_block_of_code_that_is_a_file_can_be_downloaded(site):
    shown = set()
    for path in site.glob("**/index.html"):
        if path.parent.name != "print":
            for bar in re.findall(r'<span class="filename">(.*?)</span>', path.read_text(encoding="utf-8")):
                found = re.fullmatch(r'(.*?)<a class="tw-download" href="(.*?)" download .*', bar)
                assert found, f"{path}: {bar} has no download"
                file = (path.parent / found[2]).resolve()
                assert file.name == found[1]
                shown.add(file.relative_to(site.resolve() / "snippets").as_posix())
    known = pages.load()
    assert shown == {*known.snippets, *(puzzle.program for puzzle in known.puzzles)}


def test_every_internal_link_and_anchor_leads_somewhere(site, collected):
    broken = []
    for page, parsed in collected.items():
        for link in parsed.links + parsed.resources:
            target = target_of(page, link)
            if target is None:
                continue
            path, anchor = target
            file = site / path / "index.html" if path.endswith("/") or not path else site / path
            if not file.is_file():
                broken.append(f"{page}: {link} leads to no file")
            elif anchor and path in collected and anchor not in collected[path].ids and anchor != "__top":
                broken.append(f"{page}: {link} leads to no anchor")
    assert not broken, "\n".join(broken)


def test_the_check_itself_finds_a_broken_link(site):
    parsed = Collector('<a href="../nowhere/">x</a><p id="y">')
    assert target_of("junior/a/b/", parsed.links[0]) == ("junior/a/nowhere/", "")
    assert target_of("junior/a/b/", "https://docs.pytorch.org/") is None
    assert parsed.ids == {"y"}


def test_no_resource_comes_from_a_third_party(collected):
    foreign = [f"{page}: {link}" for page, parsed in collected.items() for link in parsed.resources
               if target_of(page, link) is None and not link.startswith("data:")]
    assert not foreign, "\n".join(foreign)


def test_every_question_is_listed_on_the_questions_page_its_level_and_its_topic(collected):
    for question in pages.load().questions:
        for listing in ("questions/", f"{question.level}/", f"{question.level}/{question.topic}/"):
            targets = {target_of(listing, link) for link in collected[listing].links}
            assert (question.url, "") in targets, f"{listing} does not list {question.id}"


def test_every_topic_is_one_click_from_the_front_door(collected):
    targets = {target_of("", link) for link in collected[""].links}
    for level in pages.load().levels:
        assert (level.url, "") in targets
        for topic in level.topics:
            assert (topic.url, "") in targets


def test_every_myth_is_gathered(site):
    text = (site / "about/myths/index.html").read_text(encoding="utf-8")
    with_myth = [q for q in pages.load().questions if q.section("Myth")]
    assert with_myth
    for question in with_myth:
        assert f"{question.url}#myth" in text


def test_search_index_knows_every_question(site):
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    known = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {q.url for q in pages.load().questions} <= known


def compressed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 9))


@pytest.mark.parametrize("question", pages.load().questions, ids=lambda q: q.id)
def test_a_question_page_weighs_at_most_30_kb_compressed(site, question):
    assert compressed(site / question.url / "index.html") <= 30_000
