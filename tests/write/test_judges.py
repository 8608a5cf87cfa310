"""The judges of the exercises are judged: by right solutions, wrong ones, and broken copies of the reference."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from dataclasses import replace

import pytest
import yaml

from judging_case import SLUGS, WRITE, judge_of, solutions, wrong_of
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


@pytest.mark.parametrize("slug", SLUGS)
def test_wrong_solutions_are_rejected_and_recognized(slug):
    """Each is judged once, and once more by the group that it fails: that verdict has to be recognized."""
    judge, wrong = judge_of(slug), wrong_of(slug)
    verdicts = {name: judge._judged(source, f"<{name}>") for name, source in wrong.items()}
    judge._tried.update((name, found[1:]) for name, found in verdicts.items())
    problems = {name: problem_of(judge, wrong[name], *found) for name, found in verdicts.items()}
    assert problems
    assert not {f"{slug}: {name}": problem for name, problem in problems.items() if problem}


def problem_of(judge, source, solution, passed, failure):
    """What is wrong with a wrong solution, or ""."""
    if not failure:
        return "It is accepted."
    if not solution:
        return f"It does not come to be judged: {failure.text}"
    group = judge.groups[len(passed)]
    _, _, again = replace(judge, groups=[group])._judged(source, "solution.py")
    # It is told its own sentence, or where two mistakes give the same the other one's.
    told = again and not isinstance(again.got, NotImplementedError) and judge._why(passed, again)
    return "" if told else f"It is not recognized: {group[0]}: {again or failure}"


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
