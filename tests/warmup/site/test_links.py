"""Links between sources, addresses below the site's root, and pages that stand in another document."""

from __future__ import annotations

from pathlib import Path

import pytest

from warmup.site.links import rebase, relative_link, relocated, resolve, source_link


@pytest.mark.parametrize(
    ("page", "target", "link"),
    [
        ("", "questions/", "questions/"),
        ("junior/autograd/zero-grad/", "questions/", "../../../questions/"),
        ("junior/autograd/zero-grad/", "junior/autograd/detach/", "../detach/"),
        ("junior/autograd/", "junior/autograd/", "./"),
        ("about/myths/", "snippets/junior/a.py", "../../snippets/junior/a.py"),
        ("about/myths/", "junior/a/b/#myth", "../../junior/a/b/#myth"),
        ("about/myths/", "", "../../"),
    ],
)
def test_links_are_relative_so_that_the_site_works_below_any_address(page, target, link):
    assert relative_link(page)(target) == link


@pytest.mark.parametrize(
    ("page", "target", "address"),
    [
        ("junior/autograd/zero-grad/", "../detach/#why", "junior/autograd/detach/#why"),
        ("junior/autograd/zero-grad/", "", "junior/autograd/zero-grad/"),
        ("junior/autograd/zero-grad/", "#why", "junior/autograd/zero-grad/#why"),
        ("junior/autograd/zero-grad/", "../../../snippets/a.py", "snippets/a.py"),
        ("junior/autograd/zero-grad/", "../../..", ""),
        ("about/", "../a&amp;b/", "a&amp;b/"),
    ],
)
def test_a_link_on_a_page_is_an_address_below_the_root(page, target, address):
    assert resolve(page, target) == address


def test_links_between_sources_lead_to_the_same_file_from_elsewhere():
    page, where = Path("docs/junior/topic/thing.md"), Path("docs/about/myths.md")
    assert source_link(page, where) == "../junior/topic/thing.md"
    text = "[a](../other/x.md#why), [b](#why), [c](https://example.com), ![d](y.svg), [e](/root)"
    assert rebase(text, page, where) == (
        "[a](../junior/other/x.md#why), [b](../junior/topic/thing.md#why), [c](https://example.com), "
        "![d](../junior/topic/y.svg), [e](/root)"
    )


MOVED = [
    ('<p id="a">', '<p id="X--a">'),
    ("<p id=a>", '<p id="X--a">'),
    ("<p\nID='a'>", '<p\nID="X--a">'),
    ('<a href="#a">', '<a href="#X--a">'),
    ('<a href="#b">', '<a href="(#b)">'),
    ('<a href="">', '<a href="()">'),
    ('<a href="../c/#a">', '<a href="(../c/#a)">'),
    ('<a href="https://e.org/#a">', '<a href="https://e.org/#a">'),
    ('<use xlink:href="#a"/>', '<use xlink:href="#X--a"/>'),
    ('<g fill="url(#a)"/>', '<g fill="url(#X--a)"/>'),
    ("<g style='fill: url(\"#a\")'/>", '<g style="fill: url(&quot;#X--a&quot;)"/>'),
    ('<g style="fill: url(&quot;#a&quot;)"/>', '<g style="fill: url(&quot;#X--a&quot;)"/>'),
    ('<g fill="url(#b)"/>', '<g fill="url(#b)"/>'),
    ('<svg aria-labelledby="a b">', '<svg aria-labelledby="X--a b">'),
    ('<img src="a.png" alt="Its id=a, href=b > c">', '<img src="[a.png]" alt="Its id=a, href=b > c">'),
    ('<img src="data:image/png;base64,AA==">', '<img src="data:image/png;base64,AA==">'),
    *[(f"<code>{text}</code>", f"<code>{text}</code>") for text in (' id="a" href="b" url(#a)', '&lt;p id="a"&gt;')],
    ('<span class="s1">a</span><span class="a" id="a">', '<span class="s1">a</span><span class="a" id="X--a">'),
    ('<input disabled><label for="a">', '<input disabled><label for="X--a">'),
]


@pytest.mark.parametrize(("tag", "moved"), MOVED)
def test_what_stands_among_others_keeps_its_ids_to_itself_and_its_addresses_right(tag, moved):
    content = relocated(f'<i id="a">{tag}', "X--", lambda url: f"({url})", lambda url: f"[{url}]")
    assert content == f'<i id="X--a">{moved}'
