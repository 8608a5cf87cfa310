"""Flashcards load what they show when it is due, and say what could not be loaded."""

from __future__ import annotations

from playwright.sync_api import expect

from flashcards_page import PATH, SITE, question, start
from practice_pages import stored


def test_questions_that_do_not_load_can_be_asked_for_again(open_page):
    page = open_page("404.html")
    page.route("**/cards.json", lambda route: route.fulfill(status=404))
    page.goto(page.url.replace("404.html", PATH))
    expect(page.locator("#flashcards")).to_contain_text("could not be loaded")
    page.unroute("**/cards.json")
    page.get_by_role("button", name="Try again").click()
    start(page)


def test_a_proof_that_does_not_load_is_not_needed_to_grade(open_page):
    page = open_page("404.html")
    page.route("**/proofs/**", lambda route: route.fulfill(status=404))
    page.goto(page.url.replace("404.html", PATH))
    start(page)
    page.keyboard.press("Space")
    page.locator(".tw-proof summary").click()
    expect(page.locator(".tw-proof")).to_contain_text("could not be loaded")
    page.unroute("**/proofs/**")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".tw-part .highlight code")).not_to_have_count(0)
    page.get_by_role("button", name="Good").click()
    assert sum(name.startswith("card:") for name in stored(page)) == 1


def test_the_proofs_of_a_topic_are_loaded_once_and_with_the_first_that_is_opened(open_page):
    page = open_page("404.html")
    loaded = []
    page.on("request", lambda request: loaded.append(request.url) if "/proofs/" in request.url else None)
    page.goto(page.url.replace("404.html", f"{PATH}?topic=junior/saving"))
    start(page)
    page.wait_for_load_state("networkidle")
    assert not loaded
    while question(page).inner_text() != "That was the session":
        page.keyboard.press("Space")
        assert loaded or page.locator(".tw-proof").get_attribute("open") is None
        page.keyboard.press("p")
        expect(page.locator(".tw-part .highlight code")).not_to_have_count(0)
        page.keyboard.press("3")
    assert [url.partition("/practice/")[2] for url in loaded] == ["proofs/junior/saving.json"]


def test_a_proof_that_is_asked_for_twice_is_loaded_once(open_page):
    page = open_page(PATH)
    ids = [q.id for q in SITE.questions if (q.level, q.topic) == ("junior", "saving")]
    found = page.evaluate(
        """async ([url, ids]) => {
            const { loadCards } = await import(url)
            const bank = await loadCards()
            const proofs = await Promise.all(ids.map(bank.proof))
            const loaded = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/proofs/"))
            return [proofs.map(proof => Boolean(proof.run)), loaded.length]
        }""",
        [page.url.split("practice/")[0] + "assets/javascripts/practice/shared/cards.js", ids],
    )
    assert found == [[True] * len(ids), 1]


def test_without_javascript_the_page_says_where_the_answers_are(open_page):
    page = open_page(PATH, javascript=False)
    page.get_by_role("link", name="all questions").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("All questions")
