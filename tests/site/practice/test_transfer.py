"""Progress for another device: a QR code as another program makes it, its link, and what opening that link does."""

from __future__ import annotations

import base64
import random
import zlib

import pytest
import qrcode
from playwright.sync_api import expect
from qrcode.util import MODE_8BIT_BYTE, QRData

from practice_pages import check_on_a_phone, check_with_axe, stored, with_stored
from warmup.kinds import levels

IMPORT = "await import(new URL('../assets/javascripts/practice/overview/qr.js', location.href))"
SITE = levels.load()


def progress(cards: int) -> dict:
    draw = random.Random(7)
    now = 1_790_000_000_000
    return {
        f"card:{one.id}": {
            "stability": draw.uniform(0.2, 40),
            "difficulty": draw.uniform(1, 10),
            "last": now + draw.randrange(10**9),
            "due": now + draw.randrange(10**9),
            "reviews": draw.randrange(1, 9),
            "grade": draw.randrange(1, 5),
            "at": now + draw.randrange(10**9),
        }
        for one in SITE.questions[:cards]
    }


MORE = {
    "story:senior/behavioral/x": {"at": 1_790_000_000_123, "version": 1, "situation": "t1 s2 %7B 中", "task": ""},
    "question:junior/autograd/zero-grad": {"at": 1_790_000_000_456, "read": True, "known": False},
    "place:plan": {"at": 1_790_000_000_789, "time": "hours", "level": "mid", "questions": ["a", "b"]},
    "card:gone": {"at": 1_790_000_000_000, "gone": True},
}


def made(data: bytes, mask: int) -> list[list[bool]]:
    """The code by another program, with no white around it."""
    code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_L, border=0, mask_pattern=mask)
    code.add_data(QRData(data, mode=MODE_8BIT_BYTE))
    code.make(fit=True)
    return [[bool(module) for module in row] for row in code.modules]


@pytest.mark.parametrize("version", [1, 2, 6, 7, 9, 10, 14, 21, 28, 30, 32, 40])
@pytest.mark.parametrize("left", [0, 1, 5])
def test_each_module_is_as_another_program_has_it(open_page, version, left):
    page = open_page("practice/")
    holds = page.evaluate(f"async version => ({IMPORT}).holds(version)", version)
    draw = random.Random(version)
    data = bytes(draw.randrange(97, 122) for _ in range(holds - left))
    best = page.evaluate(f"async data => ({IMPORT}).qr(Uint8Array.from(data))", list(data))
    assert page.evaluate(f"async data => ({IMPORT}).qr(Uint8Array.from(data), {version - 1})", list(data)) is None
    matrices = []
    for mask in range(8):
        mine = page.evaluate(
            f"async ([data, mask]) => ({IMPORT}).qr(Uint8Array.from(data), 40, mask)", [list(data), mask]
        )
        assert len(mine) == 17 + 4 * version and mine == made(data, mask), mask
        matrices.append(mine)
    assert best in matrices


def test_the_link_brings_all_of_it_to_another_browser_after_a_question(open_page):
    entries = {**progress(20), **MORE}
    page = with_stored(open_page, "practice/", entries)
    page.get_by_role("button", name="Show as a QR code").click()
    code = page.locator(".tw-qr svg")
    expect(code).to_be_visible()
    expect(page.locator(".tw-qr")).to_contain_text("It has 23 entries")
    link = page.locator(".tw-qr a").get_attribute("href")
    check_with_axe(page, "code")
    other = open_page("404.html")
    other.goto(link)
    offer = other.locator(".tw-offer")
    expect(offer).to_contain_text("This link carries 23 entries of progress.")
    assert not stored(other) and "#" not in other.url
    check_with_axe(other, "offer")
    other.get_by_role("button", name="Add it").click()
    expect(offer).to_have_text("Read 24 entries.")
    found = stored(other)
    assert set(found) == set(entries)
    for name, entry in entries.items():
        assert set(found[name]) == set(entry)
        for field, value in entry.items():
            if isinstance(value, float):
                assert found[name][field] == pytest.approx(value, rel=1e-3)
            elif isinstance(value, int) and value > 10**11:
                assert 0 <= found[name][field] - value < 1000
            else:
                assert found[name][field] == value


def test_the_code_of_a_page_is_its_link(open_page):
    page = with_stored(open_page, "practice/", progress(5))
    page.get_by_role("button", name="Show as a QR code").click()
    link = page.locator(".tw-qr a").get_attribute("href")
    drawn = page.locator(".tw-qr path").last.get_attribute("d")
    assert page.evaluate("address => address.startsWith(location.href + '#progress=')", link)
    paths = [
        "".join(
            f"M{x + 4} {y + 4}h1v1h-1z"
            for y, row in enumerate(made(link.encode(), mask))
            for x, dark in enumerate(row)
            if dark
        )
        for mask in range(8)
    ]
    assert drawn in paths


def test_what_one_declines_is_not_added(open_page):
    page = with_stored(open_page, "practice/", progress(3))
    page.get_by_role("button", name="Show as a QR code").click()
    link = page.locator(".tw-qr a").get_attribute("href")
    other = open_page("404.html")
    other.goto(link)
    other.get_by_role("button", name="Leave it").click()
    expect(other.locator(".tw-offer")).to_have_text("Nothing was added.")
    assert not stored(other)


@pytest.mark.parametrize("fragment", ["progress=", "progress=abc", "progress=%%", "progress=q1YqS8wpTlWyMgQA"])
def test_a_damaged_link_says_so(open_page, fragment):
    page = open_page(f"practice/#{fragment}")
    expect(page.locator(".tw-offer")).to_contain_text("it is damaged")
    assert not stored(page) and "#" not in page.url


def test_a_short_link_cannot_mean_more_than_a_browser_stores(open_page):
    story = '[{"format":"torch-warmup-progress","version":1},["story",["at","version","result"],["x","t1",1,"s'
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    parts = [deflate.compress(part) for part in (story.encode(), b"a" * 30_000_000, b'"]]]')]
    fragment = base64.urlsafe_b64encode(b"".join(parts) + deflate.flush()).decode().rstrip("=")
    page = open_page(f"practice/#progress={fragment}")
    expect(page.locator(".tw-offer")).to_contain_text("it is damaged")
    assert len(fragment) < 50_000 and not stored(page)


def test_too_much_for_a_code_is_said_and_no_progress_too(open_page):
    page = open_page("practice/")
    page.get_by_role("button", name="Show as a QR code").click()
    expect(page.locator(".tw-qr")).to_have_text("There is no progress to carry yet.")
    page = with_stored(open_page, "practice/", progress(260))
    page.get_by_role("button", name="Show as a QR code").click()
    expect(page.locator(".tw-qr")).to_contain_text("Your 260 entries do not fit into a code")
    expect(page.locator(".tw-qr svg")).to_have_count(0)


def test_the_code_fits_a_phone(open_page):
    page = with_stored(open_page, "practice/", progress(30))
    page.set_viewport_size({"width": 360, "height": 740})
    page.get_by_role("button", name="Show as a QR code").click()
    expect(page.locator(".tw-qr svg")).to_be_visible()
    check_on_a_phone(page, "code", "#progress button")
