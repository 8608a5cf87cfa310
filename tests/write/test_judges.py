"""The judges of the exercises are judged: by right solutions, wrong ones, and broken copies of the reference."""

from __future__ import annotations

import ast
import signal
from contextlib import contextmanager

import pytest
import yaml

from judging_case import SLUGS, WRITE, judge_of, solutions
from warmup.project import ROOT
from warmup.run.mutants.mutate import mutate

SECONDS = 10.0  # of a mutant that may run for ever
EQUIVALENT = yaml.safe_load((ROOT / "tests" / "write" / "equivalent.yml").read_text("utf-8")) or {}


def named(path):
    return f"{path.relative_to(WRITE).parts[0]}-{path.stem}"


@contextmanager
def at_most(seconds):
    def stop(*_):
        raise TimeoutError("it does not end")

    before = signal.signal(signal.SIGPROF, stop)
    # Of processor time: the machine may be busy. Again and again: a solution may catch it.
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def verdict(slug, text, **options):
    return judge_of(slug).judge(text, **options)


@pytest.mark.parametrize("path", [*solutions("solution"), *solutions("also")], ids=named)
def test_right_solution_is_accepted(path):
    found = verdict(path.relative_to(WRITE).parts[0], path.read_text("utf-8"))
    assert found.passed, f"{found.failed}: {found.text}\n{found.case}"


@pytest.mark.parametrize("path", solutions("wrong"), ids=named)
def test_wrong_solution_is_rejected_and_recognized(path):
    text = path.read_text("utf-8")
    found = verdict(path.relative_to(WRITE).parts[0], text)
    assert not found.passed
    assert found.failed != "it loads", f"It does not come to be judged: {found.text}"
    sentence = " ".join((ast.get_docstring(ast.parse(text)) or "").split())
    assert sentence, "Its first line says why it is wrong."
    # It is told its own sentence, or where two mistakes give the same the other one's.
    assert found.why, f"{found.failed}: {found.text}"


@pytest.mark.parametrize("path", solutions("starter"), ids=named)
def test_starter_is_rejected_because_it_is_not_written(path):
    found = verdict(path.parent.name, path.read_text("utf-8"))
    assert not found.passed
    assert "NotImplementedError" in found.text


@pytest.mark.parametrize("slug", SLUGS)
def test_broken_copies_of_the_reference_are_rejected(slug):
    listed = {(one["line"], one["becomes"], one.get("nth", 1)) for one in EQUIVALENT.get(slug, [])}
    mutants = list(mutate((WRITE / slug / "solution.py").read_text("utf-8"), slug))
    accepted = []
    for mutant in mutants:
        try:
            with at_most(SECONDS):
                passed = verdict(slug, mutant.text, explain=False).passed
        except TimeoutError:
            passed = False
        if passed:
            accepted.append((mutant.line, mutant.becomes, mutant.nth))
    assert not [one for one in accepted if one not in listed], "Accepted although broken"
    assert not listed.difference(accepted), "Listed as equivalent, but rejected or gone"
    assert len(accepted) <= 0.05 * len(mutants) + 1
