"""A plan that names what is not there, names it twice, or takes longer than it promises is a problem."""

from __future__ import annotations

import pytest

from warmup import checks
from warmup.kinds import levels

THING = "junior/autograd/thing"


def problems(sample, monkeypatch, front_matter: str, *, questions=(1, 2), hours=120, days=(1, 999)) -> list[str]:
    monkeypatch.setattr(checks.plans, "QUESTIONS_IN_HOURS", questions)
    monkeypatch.setattr(checks.plans, "MINUTES_IN_HOURS", hours)
    monkeypatch.setattr(checks.plans, "MINUTES_IN_DAYS", days)
    index = sample / "docs/junior/index.md"
    index.write_text(f"---\ntitle: Junior\n{front_matter}\n---\n\nText.\n")
    found = checks.problems(levels.load(sample / "docs"), sample / "snippets")
    return [str(problem).removeprefix(f"{index}:") for problem in found]


@pytest.mark.parametrize(
    ("front_matter", "message"),
    [
        ("hours: [junior/autograd/gone]", "3: hours names 'junior/autograd/gone', which is not a page"),
        (f"hours: [{THING}, practice/write/add]", "3: hours names 'practice/write/add', which is not a page"),
        (f"hours: [{THING}]\ndays: [{THING}]", f"4: days names {THING!r}, which is in the plan already."),
        ("hours: thing", "3: hours is not a list."),
    ],
)
def test_a_wrong_name_is_found(sample, monkeypatch, front_matter, message):
    assert any(found.startswith(message) for found in problems(sample, monkeypatch, front_matter))


def test_a_good_plan_has_no_problem(sample, monkeypatch):
    assert problems(sample, monkeypatch, f"hours: [{THING}]\ndays: [practice/write/add, mid/autograd/thing]") == []


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"questions": (2, 3)}, "3: hours names 1 questions. Name 2 to 3."),
        ({"hours": 1}, "3: Two hours take"),
        ({"days": (900, 999)}, "1: Two days take"),
        ({"days": (1, 2)}, "1: Two days take"),
    ],
)
def test_a_plan_that_does_not_fit_is_found(sample, monkeypatch, limits, message):
    [found] = problems(sample, monkeypatch, f"hours: [{THING}]", **limits)
    assert found.startswith(message)
