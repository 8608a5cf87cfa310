"""Only a failed test counts as noticed."""

from __future__ import annotations

import pytest

from warmup.run.mutants import noticed

SUM, PRODUCT, QUOTIENT = (
    "return math.pi * (squared - 0)",
    "squared = radius / radius",
    "return math.pi / (squared + 0)",
)


def test_a_claim_notices_what_the_output_does_not_show(project, runner):
    project.claim("assert area.area(3.0) == pytest.approx(28.274, abs=0.001)")
    assert project.survivors(runner) == {SUM}
    assert project.noticed_by[PRODUCT] == "claims" and project.noticed_by["return math.pi * (squared + 1)"] == "output"


def test_a_claim_that_cannot_fail_notices_nothing(project, runner):
    project.claim("assert True")
    assert project.survivors(runner) == {SUM, PRODUCT, QUOTIENT}


def test_a_snippet_without_claims_has_its_output_only(project, runner):
    assert project.survivors(runner) == {SUM, PRODUCT, QUOTIENT}


@pytest.mark.parametrize("claim", ["assert False", "raise SystemExit(3)", "import not_installed"])
def test_claims_that_are_red_unbroken_are_refused_by_name(project, runner, claim):
    project.claim(claim)
    refusal = project.survivors(runner, SUM)
    assert isinstance(refusal, noticed.Refused) and "area.py fail, also unbroken" in str(refusal)
    if "SystemExit" not in claim:
        assert "FAILED tests/snippets/junior/test_topic.py::test_it" in str(refusal)


def test_a_module_that_does_not_load_unbroken_is_refused(project, runner):
    project.claim("pass", before="import not_installed")
    refusal = project.survivors(runner, SUM)
    assert isinstance(refusal, noticed.Refused) and "ModuleNotFoundError" in str(refusal)


def test_an_output_that_is_not_the_recorded_one_is_refused(project, runner):
    project.claim("pass")
    project.snippet.with_suffix(".out").write_text("3.15\n")
    refusal = project.survivors(runner, SUM)
    assert isinstance(refusal, noticed.Refused) and "+3.14" in str(refusal)


def test_a_mutant_that_its_claims_cannot_load_is_noticed(project, runner):
    project.claim("pass", before="assert area.area(2.0) > 12")
    assert project.survivors(runner, SUM, PRODUCT) == {SUM}


def test_a_mutant_that_kills_the_process_of_its_claims_is_noticed(project, runner):
    project.claim("import os; area.area(2.0) > 12 or os.kill(os.getpid(), 9)")
    assert project.survivors(runner, SUM, PRODUCT) == {SUM}


def test_a_mutant_that_never_ends_is_noticed(project, runner, monkeypatch):
    monkeypatch.setattr(noticed, "SPARE", 2)
    project.claim("\n    while area.area(2.0) < 12: pass")
    assert project.survivors(runner, SUM, PRODUCT) == {SUM} and project.noticed_by[PRODUCT] == "time"


def test_an_environment_that_breaks_halfway_is_refused(project, runner):
    # The mutant cannot be loaded, and neither can the snippet from then on.
    project.claim(
        "pass",
        before=(
            "import pathlib\nflag = pathlib.Path(__file__).with_suffix('.broken')\n"
            "if area.area(2.0) < 12: flag.touch()\nassert not flag.exists()\n"
        ),
    )
    assert isinstance(project.survivors(runner, PRODUCT), noticed.Refused)


def test_mutants_of_the_same_size_and_second_are_not_taken_for_each_other(project, runner):
    project.claim("assert area.area(2.0) > 12")
    for _ in range(3):
        assert project.survivors(runner, SUM, PRODUCT) == {SUM}
