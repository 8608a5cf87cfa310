"""What tests of *Predict the output* do on the page."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from warmup.kinds import levels, puzzles
from warmup.project import SNIPPETS

PAGE = "practice/predict/"
RIGHT, WRONG = "Right. That is what it prints.", "Wrong. It prints something else."
PUZZLES = levels.load().puzzles


# One whose outputs have commas and brackets, to be typed with odd spacing.
LISTED = next(p for p in PUZZLES if all("," in output for output, _ in p.shuffled(SNIPPETS)))


def topic_of(puzzle: puzzles.Puzzle) -> str:
    return f"{puzzle.question.level}/{puzzle.question.topic}"


# The topic with the fewest puzzles, but more than one: a session that ends soon.
TOPIC = min(
    (t for t in {topic_of(p) for p in PUZZLES} if sum(topic_of(p) == t for p in PUZZLES) > 1),
    key=lambda t: (sum(topic_of(p) == t for p in PUZZLES), t),
)
IN_TOPIC = [p for p in PUZZLES if topic_of(p) == TOPIC]


def in_turn(listed: list[puzzles.Puzzle]) -> list[puzzles.Puzzle]:
    """The programs as they are asked, from the order of the site; as ``inTurn()`` in practice/predict/puzzles.js."""
    found = []
    for level in dict.fromkeys(p.question.level for p in listed):
        left = {}
        for puzzle in (p for p in listed if p.question.level == level):
            left.setdefault(topic_of(puzzle), []).append(puzzle)
        last = None
        while any(left.values()):
            others = [topic for topic in left if left[topic] and topic != last]
            last = max(others, key=lambda topic: len(left[topic])) if others else last
            found.append(left[last].pop(0))
    return found


def shown(page: Page):
    return page.locator(".tw-puzzle:visible")


def title(page: Page):
    return shown(page).locator("h2")


def key_of(page: Page) -> int:
    return int(shown(page).get_attribute("data-key"))


def verdict(page: Page):
    return page.locator(".tw-verdict")


def answer(page: Page, right: bool) -> None:
    """Choose the key, or the first wrong output, by its digit, and check it by Enter."""
    key = key_of(page)
    page.keyboard.press(str(key + 1 if right else 2 if key == 0 else 1))
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text(RIGHT if right else WRONG)


def answer_here(page: Page) -> None:
    shown(page).locator(".tw-guess").nth(key_of(page)).click()
    page.get_by_role("button", name="Check").click()


def focus_is_in_the_app(page: Page) -> bool:
    return page.evaluate("document.getElementById('predict').contains(document.activeElement)")


def visit_again(page: Page) -> None:
    """Leave the page and come back to its plain address."""
    page.goto(page.url.split("#")[0].replace(PAGE, "404.html"))
    page.goto(page.url.replace("404.html", PAGE))


def choose(page: Page, name: str, value: str) -> None:
    if not page.locator(".tw-setup").evaluate("fold => fold.open"):
        page.locator(".tw-setup summary").click()
    page.locator(f".tw-setup select[name={name}]").select_option(value)
