"""Every program of every page, run through its page: it prints there what is recorded."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from warmup.content.header import parse
from warmup.kinds import levels
from warmup.project import SNIPPETS
from warmup.run.needs import missing_need

SITE = levels.load()
# Of an exercise nothing runs but its judge: see test_judge.py.
SHOWN = {page.id: page for page in (*SITE.questions, *SITE.trainers)}
SLOWEST = 180_000  # milliseconds for one program on a busy machine


@pytest.fixture(scope="module")
def counts(request):
    counted: Counter = Counter()
    yield counted
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print("\\nprograms by verdict:", dict(counted))


def expected(program: str) -> set[str]:
    """What a run may end in: without the hardware that it needs it is skipped, and nothing may be recorded of it."""
    declared = parse((SNIPPETS / program).read_text(encoding="utf-8"), program)
    if missing_need(declared):
        return {"skipped"}
    # Digits that depend on the CPU are declared as measured, and such a run equals the record within its tolerance.
    return {"equal"}


@pytest.mark.parametrize("question", sorted(SHOWN))
def test_each_program_of_a_page_equals_its_record(tab, server, counts, question):
    tab.goto(f"{server.address}/{question}/")
    tab.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    blocks = tab.locator(".highlight[data-program]")
    shown = [blocks.nth(number).get_attribute("data-program") for number in range(blocks.count())]
    assert shown == list(SHOWN[question].snippets)
    wrong = {}
    for number, program in enumerate(shown):
        blocks.nth(number).get_by_role("button", name=re.compile("^Run ")).click()
        output = tab.locator(f".highlight[data-program='{program}'] + .tw-run")
        tab.wait_for_function("box => box.dataset.word", arg=output.element_handle(), timeout=SLOWEST)
        word = output.get_attribute("data-word")
        counts[word] += 1
        if word not in expected(program):
            wrong[program] = f"{word}: {output.inner_text()}"
    assert not wrong
