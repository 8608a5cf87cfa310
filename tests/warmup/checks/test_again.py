"""While the site is served, what did not change is not checked again, and what changed is."""

from __future__ import annotations

import pytest

from warmup import checks
from warmup.kinds import levels


def found(sample) -> list[str]:
    return [str(problem) for problem in checks.problems(levels.load(sample / "docs"), sample / "snippets")]


def test_a_second_look_checks_nothing_again(sample, monkeypatch):
    assert found(sample) == []
    for module in (checks.question_limits, checks.puzzles, checks.drills, checks.snippets, checks.outputs):
        monkeypatch.setattr(module, "problems", lambda *_: pytest.fail("It was checked again."))
    assert found(sample) == []


def a_question(sample):
    site = levels.load(sample / "docs")
    question = next(question for question in site.questions if question.snippets)
    return question, sample / "snippets" / question.snippets[0]


@pytest.mark.parametrize("ending", [".py", ".out"])
def test_a_file_that_a_page_shows_is_missed_when_it_goes(sample, ending):
    assert found(sample) == []
    _, snippet = a_question(sample)
    snippet.with_suffix(ending).unlink()
    assert any("does not exist" in one or "has not been recorded" in one for one in found(sample))


def test_an_edit_of_a_snippet_and_of_a_page_is_seen(sample):
    assert found(sample) == []
    question, snippet = a_question(sample)
    text = snippet.read_text()
    snippet.write_text(text + "import sklearn\n")
    assert ["imports sklearn" in one for one in found(sample)] == [True]
    snippet.write_text(text)
    assert found(sample) == []
    question.path.write_text(question.text.replace("## Say it", "## Say this"))
    assert any("Unknown section" in one for one in found(sample))


def test_an_output_of_another_torch_is_seen_when_it_comes(sample):
    assert found(sample) == []
    _, snippet = a_question(sample)
    snippet.with_suffix(".torch-from-9.9.out").write_text("1\n")
    assert ["does not say where it was recorded" in one for one in found(sample)] == [True]
