"""What tests of exercises and broken trainers do on their pages."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from warmup.kinds import levels

SITE = levels.load()
EXERCISE, TRAINER = SITE.exercises[0], SITE.trainers[0]
PAGES = {"exercise": EXERCISE.url, "trainer": TRAINER.url}
LISTS = ("practice/", "practice/write/", "practice/trainers/")


def box(page: Page):
    return page.locator(".tw-try")


def timer(page: Page):
    return page.get_by_role("timer", name="Time left")


def click(page: Page, name: str) -> None:
    box(page).get_by_role("button", name=name, exact=True).click()


def judge(page: Page, passed: bool) -> None:
    """Say what a program of the page says once it has judged."""
    page.locator(".highlight").first.evaluate(
        "(block, passed) => block.dispatchEvent(new CustomEvent('judged', { detail: { passed }, bubbles: true }))",
        passed,
    )


def is_done(page: Page, text: str = "Done.") -> None:
    expect(box(page).get_by_role("status").filter(has_text="Done")).to_have_text(text)
