"""Links, weight and requests of the built site."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import asdict, dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

from warmup.kinds import levels
from warmup.testing import PREFIX, once

SITE = levels.load()
BASE = f"https://example.com{PREFIX}"


@dataclass
class Parsed:
    """Ids, links and embedded resources of one page."""

    ids: list[str]
    links: list[str]
    resources: list[str]


class Collector(HTMLParser):
    """Finds them."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.resources: list[str] = []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids += [found[key] for key in ("id", "name") if found.get(key)]
        if tag == "a" and found.get("href") is not None:
            self.links.append(found["href"])
        elif tag in ("img", "script", "source", "iframe") and found.get("src"):
            self.resources.append(found["src"])
        elif tag == "link" and found.get("href") and found.get("rel") not in ("canonical", "prev", "next"):
            self.resources.append(found["href"])


def parse(text: str) -> Parsed:
    collector = Collector()
    collector.feed(text)
    return Parsed(collector.ids, collector.links, collector.resources)


def parse_all(site: Path) -> dict[str, Parsed]:
    """Every page by its address below the site."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        address = name.removesuffix("index.html") if name.endswith("index.html") else name
        found[address] = parse(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="session")
def collected(site, shared) -> dict[str, Parsed]:
    """What `parse_all` finds. At 270 pages it takes longer than their build: one worker does it for all."""
    text = once(
        shared / "links", lambda: json.dumps({address: asdict(parsed) for address, parsed in parse_all(site).items()})
    )
    return {address: Parsed(**parsed) for address, parsed in json.loads(text).items()}


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
    practice = (*(puzzle.program for puzzle in SITE.puzzles), *(name for page in SITE.drills for name in page.snippets))
    assert shown == {*SITE.snippets, *practice}


def broken_links(site: Path, collected: dict[str, Parsed]) -> list[str]:
    broken = []
    ids = {page: {*parsed.ids, "__top"} for page, parsed in collected.items()}
    for page, parsed in collected.items():
        for link in parsed.links + parsed.resources:
            target = target_of(page, link)
            if target is None:
                continue
            path, anchor = target
            file = site / path / "index.html" if path.endswith("/") or not path else site / path
            if not file.is_file():
                broken.append(f"{page}: {link} leads to no file")
            elif anchor and path in ids and anchor not in ids[path]:
                broken.append(f"{page}: {link} leads to no anchor")
    return broken


def test_every_internal_link_and_anchor_leads_somewhere(site, collected):
    assert not (broken := broken_links(site, collected)), "\n".join(broken)


@pytest.mark.parametrize("question", SITE.questions, ids=lambda question: question.id)
def test_a_question_keeps_the_anchors_that_all_questions_had_once(collected, question):
    once = {"say-it", "run-it", "why", "break-it", "myth", "they-ask-next", "listening-for"}
    assert once <= set(collected[question.url].ids)


def test_a_broken_link_anchor_or_resource_is_found(tmp_path):
    for page, text in {
        "a/b/index.html": '<a href="../nowhere/">x</a> <a href="../#y">x</a> <a href="../#z">x</a> <a href="#b">x</a>'
        '<p id="b"> <a href="/torch-warmup/a/">x</a> <a href="/elsewhere/">x</a>'
        '<a href="https://docs.pytorch.org/nowhere/">x</a> <img src="none.png"> <img src="some.png">',
        "a/index.html": '<a name="y">x</a> <a href="b/#__top">x</a>',
        "404.html": '<a href="/torch-warmup/a/b/#b">x</a> <a href="a/#c">x</a>',
        "a/b/some.png": "",
    }.items():
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page).write_text(text)
    assert broken_links(tmp_path, parse_all(tmp_path)) == [
        "404.html: a/#c leads to no anchor",
        "a/b/: ../nowhere/ leads to no file",
        "a/b/: ../#z leads to no anchor",
        "a/b/: none.png leads to no file",
    ]


def test_no_resource_comes_from_a_third_party(collected):
    foreign = [
        f"{page}: {link}"
        for page, parsed in collected.items()
        for link in parsed.resources
        if target_of(page, link) is None and not link.startswith("data:")
    ]
    assert not foreign, "\n".join(foreign)


def test_every_question_is_listed_on_the_questions_page_its_level_and_its_topic(collected):
    listings = {"questions/": SITE.questions}
    for level in SITE.levels:
        listings |= {level.url: level.questions, **{topic.url: topic.questions for topic in level.topics}}
    missing = []
    for listing, questions in listings.items():
        targets = {target_of(listing, link) for link in collected[listing].links}
        missing += [f"{listing} does not list {q.id}" for q in questions if (q.url, "") not in targets]
    assert not missing, "\n".join(missing)
    assert sum(map(len, listings.values())) == 3 * len(SITE.questions)


def test_every_topic_is_one_click_from_the_front_door(collected):
    targets = {target_of("", link) for link in collected[""].links}
    for level in SITE.levels:
        assert (level.url, "") in targets
        for topic in level.topics:
            assert (topic.url, "") in targets


def html_of(site: Path, address: str) -> str:
    return (site / address / "index.html").read_text(encoding="utf-8")


def neighbors(site: Path, address: str) -> dict[str, str]:
    """Where the links to the page before and to the next one lead, by ``prev`` and ``next``."""
    links = re.findall(r'<a (?:class="tw-neighbor[^>]* )?rel="(prev|next)" href="(.*?)"', html_of(site, address))
    assert len(dict(links)) == len(links), address
    return {relation: urljoin(address, link) for relation, link in links}


def in_sidebars(site: Path) -> list[str]:
    """The addresses of all questions, in the order in which the navigation of their levels and topics shows them."""

    def shown(address: str) -> list[str]:
        links = re.findall(r'<a href="([^"#]*)"[^>]*class="md-nav__link', html_of(site, address))
        return list(dict.fromkeys(urljoin(address, link) for link in links))

    topics = {topic.url for level in SITE.levels for topic in level.topics}
    in_order = [address for level in SITE.levels for address in shown(level.url) if address.startswith(level.url)]
    questions = [one for topic in dict.fromkeys(in_order) if topic in topics for one in shown(topic)]
    return [address for address in questions if address in {question.url for question in SITE.questions}]


def test_next_leads_from_the_first_page_through_all_questions_in_the_one_order_of_the_site(site):
    walk, before = [], None
    address = neighbors(site, SITE.levels[0].url)["next"]
    while address != "practice/":
        around = neighbors(site, address)
        assert around.get("prev") == before, address
        walk.append(address)
        assert len(walk) <= len(SITE.questions), "the walk is a circle"
        before, address = address, around["next"]
    assert sorted(walk) == sorted(question.url for question in SITE.questions)
    assert walk == in_sidebars(site)
    cards = json.loads((site / "practice/cards.json").read_text(encoding="utf-8"))["cards"]
    assert walk == [f"{card['id']}/" for card in cards]
    listed = re.findall(r'<li class="tw-question".*?<a href="\.\./(.*?)">', html_of(site, "questions/"), re.S)
    assert walk == listed
    for level in SITE.levels:
        contents = html_of(site, f"{level.url}print/").partition('<nav class="tw-contents"')[2].partition("</nav>")[0]
        printed = [f"{level.url}{at.replace('--', '/')}/" for at in re.findall(r'<li><a href="#(.+?)">', contents)]
        assert printed == [url for url in walk if url.startswith(level.url)]


def test_indexes_and_the_last_pages_lead_onwards(site):
    for level in SITE.levels:
        for topic in level.topics:
            assert neighbors(site, topic.url)["next"].startswith(topic.url)
    for pages, onward in ((SITE.exercises, "practice/trainers/"), (SITE.trainers, "practice/mock/")):
        assert neighbors(site, f"{pages[0].folder_of_all}/")["next"] == pages[0].url
        assert neighbors(site, pages[-1].url)["next"] == onward


def test_every_myth_is_listed_and_stands_in_full_on_its_topic_s_page(site):
    told = [q for q in SITE.questions if q.section("Myth")]
    assert told
    listed = (site / "about/myths/index.html").read_text(encoding="utf-8")
    for question in told:
        assert f'href="../../{question.url}#myth"' in listed
        folder = f"{question.level}/{question.topic}"
        assert f'href="{folder}/"' in listed
        text = (site / "about/myths" / folder / "index.html").read_text(encoding="utf-8")
        assert f'<h2 id="{question.slug}">"' in text, "The heading is what people say."
        shown = [line.include["path"] for line in question.section("Myth").lines if line.include]
        missing = [path for path in shown if path.endswith(".py") and f'snippets/{path}"' not in text]
        assert not missing


def test_every_program_to_predict_is_listed_and_stands_on_its_topic_s_page(site):
    listed = (site / "practice/predict/index.html").read_text(encoding="utf-8")
    for puzzle in SITE.puzzles:
        folder = f"{puzzle.question.level}/{puzzle.question.topic}/"
        assert f'<li id="{puzzle.slug}"><a href="{folder}#{puzzle.slug}">' in listed
        text = (site / "practice/predict" / folder / "index.html").read_text(encoding="utf-8")
        [section] = [
            part for part in text.split('<section class="tw-puzzle"')[1:] if f'<h2 id="{puzzle.slug}">' in part
        ]
        assert f'snippets/{puzzle.program}"' in section
        assert section.count('<label class="tw-guess">') == len(puzzle.choices) + 1
        assert section.count('<div class="tw-mistake"') == len(puzzle.choices)
        assert '<details class="tw-answer">' in section and "markdown=" not in section


def topic_pages(site: Path) -> list[str]:
    """The addresses of the pages of puzzles and of myths."""
    pages = [path for folder in ("about/myths", "practice/predict") for path in (site / folder).rglob("index.html")]
    return [f"{path.parent.relative_to(site).as_posix()}/" for path in pages]


def test_pages_that_are_no_file_are_found_as_others_are(site):
    sitemap = (site / "sitemap.xml").read_text(encoding="utf-8")
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    known = {entry["location"] for entry in index["docs"]}
    assert len(pages := topic_pages(site)) > 2
    for address in pages:
        assert f"<loc>{BASE}{address}</loc>" in sitemap
        assert f'rel="canonical" href="{BASE}{address}"' in (site / address / "index.html").read_text(encoding="utf-8")
        assert address in known


def test_search_index_knows_every_question(site):
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    known = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {q.url for q in SITE.questions} <= known


def compressed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 9))


def test_a_question_page_weighs_at_most_30_kb_compressed(site):
    weights = {q.id: compressed(site / q.url / "index.html") for q in SITE.questions}
    assert not {question: weight for question, weight in weights.items() if weight > 30_000}


def test_a_page_by_topic_and_the_list_of_them_weigh_at_most_30_kb_compressed(site):
    weights = {address: compressed(site / address / "index.html") for address in topic_pages(site)}
    assert not {address: weight for address, weight in weights.items() if weight > 30_000}
