"""Text of a page is text wherever it is shown: markup in a title or in code opens no hole."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from warmup.dev.serving import served
from warmup.testing import build_site, copy_sample

EVIL = "<img src=x onerror=hacked=1><script>hacked=2</script>"
TITLE = f'What does {EVIL} print, and is 1 < 2 & "3"?'
PAGE = f"""---
title: '{TITLE}'
kind: debugging
tags: ["<b>tag</b>"]
minutes: 1
related: [junior/autograd/thing]
---

## Say it

It prints `{EVIL}`: text.

## Run it

```python title="evil.py"
--8<-- "junior/autograd/evil.py"
```

```output
--8<-- "junior/autograd/evil.out"
```

## Myth

`{EVIL}` runs.

## They ask next

??? question "And `{EVIL}` here?"

    `{EVIL}` too.

??? question "Twice?"

    ```python title="evil.py"
    --8<-- "junior/autograd/evil.py"
    ```

## Listening for

- **Weak**: `{EVIL}` runs.
- **Good**: `{EVIL}` is text.
- **Strong**: `{EVIL}` is text everywhere.
"""
PUZZLE = f"""---
title: '{EVIL} [1] *2*'
question: junior/autograd/evil
choices:
  - text: '{EVIL}'
    because: You said `{EVIL}`.
  - text: "3"
    because: You counted.
---

`{EVIL}` is text.
"""
CODE = f"print({EVIL!r})\n</code></pre>{EVIL}\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evil")
    project = copy_sample(folder)
    docs, snippets = project / "docs", project / "snippets"
    (docs / "junior/autograd/evil.md").write_text(PAGE, encoding="utf-8")
    index = docs / "junior/autograd/index.md"
    index.write_text(index.read_text().replace("order: [", "order: [evil, ", 1))
    (docs / "practice/predict/evil.md").write_text(PUZZLE, encoding="utf-8")
    for where, printed in (("junior/autograd", EVIL), ("practice/predict", EVIL + EVIL)):
        (snippets / where / "evil.py").write_text(CODE, encoding="utf-8")
        (snippets / where / "evil.out").write_text(f"{printed}\n", encoding="utf-8")
    result = build_site(folder / "site", project)
    assert result.returncode == 0, result.stderr
    with served(folder / "site") as address:
        yield address


@pytest.fixture
def visit(chromium, address):
    """Opens a page of the site with the markup in it; at the end nothing of it has run."""
    context = chromium.new_context(service_workers="block")
    page = context.new_page()

    def nothing_has_run():
        page.wait_for_timeout(50)  # an image's error comes a moment later
        assert page.evaluate("globalThis.hacked") is None
        assert page.locator('img[src="x"]').count() == 0

    def go(path: str):
        nothing_has_run()
        page.goto(address + path)
        return page

    yield go
    nothing_has_run()
    context.close()


def test_pages_show_the_title_as_text(visit):
    for path in (
        "junior/autograd/evil/",
        "junior/autograd/",
        "junior/",
        "questions/",
        "junior/print/",
        "about/myths/",
        "practice/predict/junior/autograd/",
    ):
        expect(visit(path).locator("article, main, body").first).to_contain_text(TITLE)


def test_title_of_the_window_is_the_question(visit):
    assert visit("junior/autograd/evil/").title().startswith(TITLE)


def test_a_link_has_the_title_as_its_tip(visit):
    link = visit("junior/autograd/thing/").get_by_role("link", name="Previous: ")
    expect(link).to_have_attribute("title", TITLE)


def test_search_shows_the_title_as_text(visit):
    page = visit("junior/autograd/")
    page.keyboard.press("/")
    page.keyboard.type("evil print")
    expect(page.locator(".md-search-result__item").first).to_be_visible()


def test_a_flashcard_shows_title_and_code_as_text(visit):
    page = visit("practice/flashcards/?topic=junior/autograd&kind=debugging")
    page.get_by_role("button", name="Start").click()
    while TITLE not in page.locator("#flashcards h2").inner_text():
        page.get_by_role("button", name="Reveal").click()
        page.get_by_role("button", name="Easy").click()
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".tw-say")).to_contain_text(EVIL)
    page.keyboard.press("p")
    expect(page.locator("#flashcards .highlight code")).to_contain_text(f"</code></pre>{EVIL}")
    expect(page.locator("#flashcards .tw-output code")).to_contain_text(EVIL)
    expect(page.locator(".tw-ladder li").last).to_contain_text(EVIL)


def test_a_puzzle_shows_title_program_and_outputs_as_text(visit):
    page = visit("practice/predict/#evil")
    expect(page.locator("#evil")).to_have_text(re.compile(re.escape(f"{EVIL} [1] *2*")))
    page.get_by_role("button", name="Type it instead").click()
    page.locator("#typed").fill(f"{EVIL} typed")
    page.keyboard.press("Enter")
    expect(page.locator(".tw-verdict")).to_contain_text(f"{EVIL} typed")
    expect(page.locator(".tw-mistake:visible", has_text=EVIL)).to_have_count(1)


def test_a_mock_interview_shows_the_question_as_text(visit):
    page = visit("practice/mock/?format=junior&minutes=5&questions=junior/autograd/evil")
    page.get_by_role("button", name="Start this set").click()
    expect(page.locator("#mock h2")).to_have_text(TITLE)
    for _ in range(3):
        page.keyboard.press("Space")
    expect(page.locator(".tw-say")).to_contain_text(EVIL)
    expect(page.locator("#mock .tw-part h4").first).to_contain_text(EVIL)
