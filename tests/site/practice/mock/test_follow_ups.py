"""Which follow-ups a mock interview asks: those that fit the level."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from mock_page import PAGE, SITE, app, click, start

CLIP = "practice/write/clip-gradients"
ASKED = """async ids => {
    const of = name => import(new URL(`../../assets/javascripts/practice/${name}.js`, location.href))
    const [{ loadCards }, { followUps }] = [await of("shared/cards"), await of("mock/follow-ups")]
    const bank = await loadCards()
    const titles = html => new DOMParser().parseFromString(html, "text/html").body.textContent
    return Promise.all(ids.map(async id => {
        const next = (await bank.proof(id)).next.filter(one => !one.here)
        const asked = seed => followUps(String(seed), id, next).map(index => titles(next[index].question))
        return [...new Set(Array.from({ length: 20 }, (_, seed) => asked(seed)).flat())]
    }))
}"""


def test_a_junior_is_asked_the_two_follow_ups_that_are_marked_whatever_the_seed(open_page):
    pages = [page for page in (*SITE.questions, *SITE.exercises) if page.level == "junior"]
    found = open_page(PAGE).evaluate(ASKED, [page.id for page in pages])
    beyond = re.compile(r"GradScaler|gradient scal|\bDDP\b|sharded|ranks|activation checkpointing|assign=True")
    for page, asked in zip(pages, found, strict=True):
        assert len(asked) == 2, (page.id, asked)
        assert not beyond.search(" ".join(asked)), (page.id, asked)


def test_an_interview_on_clipping_asks_a_junior_nothing_about_gradient_scaling(open_page):
    page = start(open_page(f"{PAGE}?format=junior&minutes=15&seed=a&questions={CLIP}"))
    follow_up = app(page).locator(".tw-follow-up h3")
    click(page, "I have answered")
    expect(follow_up).to_have_text("Why by norm and not by value?")
    click(page, "Answered")
    expect(follow_up).to_contain_text("Does clipping matter with Adam")
