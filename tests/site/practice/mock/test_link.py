"""The address of a set of questions."""

from __future__ import annotations

from playwright.sync_api import expect

from mock_page import CARDS, ONE, PAGE, TWO, app, click, start

IMPORT = "await import(new URL('../../assets/javascripts/practice/mock/link.js', location.href))"


def test_nothing_in_a_link_is_trusted(open_page):
    page = open_page(PAGE)
    links = {
        "": ("junior", 30, 0, 0),
        "?format=wizard": ("junior", 30, 0, 1),
        "?format=constructor&minutes=": ("junior", 30, 0, 2),
        "?format=senior&minutes=-5": ("senior", 1, 0, 1),
        "?minutes=1e9": ("junior", 180, 0, 1),
        "?minutes=NaN": ("junior", 30, 0, 1),
        "?minutes=soon&format=mid": ("mid", 30, 0, 1),
        "?minutes=12.4": ("junior", 12, 0, 1),
        f"?questions={ONE},{ONE},,{TWO},": ("junior", 30, 2, 0),
        f"?questions={ONE},no/such/page,__proto__": ("junior", 30, 1, 1),
        "?questions=no/such/page": ("junior", 30, 0, 1),
        f"?seed={'x' * 5000}&questions={ONE}": ("junior", 30, 1, 0),
    }
    found = page.evaluate(
        f"""async ([links, ids]) => {{
        const {{ readLink }} = {IMPORT}
        return links.map(link => readLink(link, new Map(ids.map(id => [id, true]))))
    }}""",
        [list(links), list(CARDS)],
    )
    for (link, (format, minutes, questions, notes)), got in zip(links.items(), found, strict=True):
        assert (got["format"], got["minutes"]) == (format, minutes), link
        assert (len(got["questions"]), len(got["notes"])) == (questions, notes), (link, got["notes"])
        assert len(got["seed"]) <= 40


def test_a_shared_link_keeps_its_set_without_what_the_site_does_not_have(open_page):
    page = open_page(
        f"{PAGE}?format=mid&minutes=1e9&seed=%3Cimg%20src=x%20onerror=alert(1)%3E&questions={TWO},gone/gone/gone,{ONE}"
    )
    expect(app(page)).to_contain_text("1 of the link's 3 questions is not on this site")
    expect(app(page)).to_contain_text("180 are chosen instead")
    start(page)
    expect(page.get_by_role("heading", level=2)).to_have_text(CARDS[TWO].title)
    assert page.url.endswith(f"&questions={TWO},{ONE}")
    assert "format=mid&minutes=180&seed=%3Cimg" in page.url


def test_a_link_without_any_known_question_gives_a_new_set_from_its_seed(open_page):
    page = open_page(f"{PAGE}?format=junior&minutes=15&seed=s&questions=gone/gone/gone,gone/too/gone")
    expect(app(page)).to_contain_text("not on this site (2 unknown)")
    expect(page.get_by_role("button", name="Start this set")).to_have_count(0)
    start(page, "Start")
    first = page.url
    assert "gone" not in first and "seed=s&" in first
    page.goto(first.split("&questions")[0])
    click(page, "Discard")
    start(page, "Start")
    assert page.url == first
