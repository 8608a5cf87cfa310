"""What one writes for an exercise is judged in its page, and a script that one mends is checked there."""

from __future__ import annotations

import re
import time

import pytest
from test_page import FIRST, Cell

from warmup.content import mistakes, sources
from warmup.kinds import levels
from warmup.project import SNIPPETS

SITE = levels.load()
PAGE = "practice/write/causal-attention/"
FILES = SNIPPETS / PAGE


class Attempt(Cell):
    """The editor of an exercise."""

    @property
    def field(self):
        return self.block.locator("textarea")

    def judge(self, source: str) -> str:
        self.field.fill(source)
        self.press("Judge")
        return self.finish()


@pytest.fixture
def attempt(open_live) -> Attempt:
    return Attempt(open_live(PAGE))


def test_one_writes_at_once_and_there_is_nothing_to_run(attempt):
    assert attempt.field.input_value() == (FILES / "starter.py").read_text("utf-8")
    assert attempt.block.locator(".tw-run__bar button:visible").all_inner_texts() == ["Judge"]
    # The solution further down is to be read.
    assert attempt.page.locator("[data-program*='causal-attention']").count() == 1


def test_a_wrong_solution_is_told_why_and_the_right_one_is_done(attempt):
    assert attempt.judge(mistakes.programs(FILES)["unscaled"]) == "failed"
    assert attempt.said == "Not yet."
    assert "A known mistake gives the same: The scores are not divided by the square root of D." in attempt.text
    assert attempt.judge((FILES / "solution.py").read_text("utf-8")) == "passed"
    assert attempt.said == "Passed." and "Not checked: speed and memory." in attempt.text
    box = attempt.page.locator(".tw-try")
    assert "Done, at judgment 2." in box.inner_text()
    attempt.page.reload()
    assert "Done, at judgment 2." in box.inner_text()


def test_an_attempt_is_kept_when_its_tab_is_closed_and_reset_brings_back_the_starter(attempt, open_live):
    attempt.field.fill("def multi_head_attention(): pass")
    other = Attempt(open_live(PAGE, context=attempt.page.context))
    assert other.field.input_value() == "def multi_head_attention(): pass"
    other.press("Reset")
    assert other.field.input_value() == (FILES / "starter.py").read_text("utf-8")
    other.page.reload()
    assert other.field.input_value() == (FILES / "starter.py").read_text("utf-8")


def test_it_is_judged_from_the_keyboard(attempt):
    attempt.field.press("Control+Enter")
    assert attempt.finish() == "failed"
    assert "raised NotImplementedError" in attempt.text


def test_an_attempt_that_never_ends_is_stopped(attempt):
    attempt.judge("")  # Python and torch are there
    attempt.field.fill("while True: pass")
    attempt.press("Judge")
    begun = time.monotonic()
    attempt.press("Stop")
    assert attempt.finish() == "stopped" and time.monotonic() - begun < 3


def test_a_script_is_run_and_checked(open_live):
    one = Cell(open_live("practice/trainers/stuck-at-ln-v/"))
    assert one.run() == "equal"
    one.press("Check")
    assert one.finish() == "failed", one.said
    assert "still there" in one.text
    one.edit(sources.text(SNIPPETS / "practice/trainers/stuck-at-ln-v/fixed.py"))
    one.press("Check")
    assert one.finish() == "passed", one.said
    assert one.said == "All symptoms are gone." and "Done" in one.page.locator(".tw-try").inner_text()


@pytest.mark.parametrize("exercise", [exercise.slug for exercise in SITE.exercises])
def test_the_solution_of_each_exercise_passes_in_its_page(tab, server, exercise):
    tab.goto(f"{server.address}/practice/write/{exercise}/")
    source = (SNIPPETS / "practice/write" / exercise / "solution.py").read_text("utf-8")
    attempt = Attempt(tab)
    attempt.field.fill(source)
    attempt.block.get_by_role("button", name=re.compile("^Judge ")).click()
    tab.wait_for_selector(".tw-run[data-word]", timeout=FIRST)
    assert attempt.finish() == "passed", (attempt.said, attempt.text)
