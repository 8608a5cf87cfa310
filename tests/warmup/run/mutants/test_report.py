"""What the command says of survivors, and that the list of accepted ones is true."""

from __future__ import annotations

import pytest
import yaml

from warmup.project import SNIPPETS
from warmup.run.mutants import report
from warmup.run.mutants.mutate import mutate

SUM = "return math.pi * (squared - 0)"


@pytest.fixture
def command(project, runner, capsys):
    """Runs the command on the project, with a list of survivors; gives its exit code and what it printed.

    Its runner shares the server of the fixture's.
    """
    project.claim("assert area.area(2.0) > 12")

    def run(listed: tuple[str, ...] = (), **options):
        file = project.root / "equivalent_mutants.yml"
        entries = [
            {"line": "return math.pi * (squared + 0)", "becomes": becomes, "because": "Plus or minus nothing."}
            for becomes in listed
        ]
        file.write_text(yaml.safe_dump({"junior/topic/area.py": entries}))
        code = report.main([project.snippet], **options, listed_in=file, snippets=project.snippets, root=project.root)
        return code, capsys.readouterr()

    return run


@pytest.fixture
def judged(monkeypatch):
    """The verdict of a run (only SUM survives), without the run: for what the command makes of it."""

    def verdicts(several, *_):
        if several:
            yield {mutant: "" if mutant.becomes == SUM else "output" for mutant in several}

    monkeypatch.setattr(report, "verdicts", verdicts)


def test_the_verdict_of_a_real_run(command):
    code, printed = command()
    assert code == 1 and "8 of 9 mutants noticed, 88.9% (2 by claims, 6 by output)" in printed.out
    assert printed.err.startswith(f"nothing notices: junior/topic/area.py: return math.pi * (squared + 0)  ->  {SUM}")


@pytest.mark.usefixtures("judged")
def test_a_survivor_fails_the_command(command):
    code, printed = command()
    survivor = f"junior/topic/area.py: return math.pi * (squared + 0)  ->  {SUM}"
    assert code == 1 and f"nothing notices: {survivor}" in printed.err


@pytest.mark.usefixtures("judged")
def test_a_survivor_that_is_listed_does_not(command):
    code, printed = command((SUM,))
    assert (code, printed.err) == (0, "") and "1 listed as changing nothing" in printed.out


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    ("becomes", "problem"),
    [
        ("return math.pi * (squared + 1)", "listed, but noticed now"),
        ("return math.pi * (squared + 2)", "listed, but no mutant"),
    ],
)
def test_a_stale_entry_fails_the_command(command, becomes, problem):
    code, printed = command((SUM, becomes))
    assert code == 1 and printed.err.startswith(f"{problem}: junior/topic/area.py: ")


@pytest.mark.usefixtures("judged")
def test_an_entry_outside_the_sample_is_not_judged(command, project):
    noticed = "return math.pi * (squared + 1)"
    codes = {seed: command((SUM, noticed), size=1, seed=seed)[0] for seed in range(12)}
    picked = {
        seed: min(mutate(project.source, "junior/topic/area.py"), key=lambda m, s=seed: m.rank(s)).becomes
        for seed in codes
    }
    assert len(set(picked.values())) > 3
    assert codes == {seed: int(becomes == noticed) for seed, becomes in picked.items()}


def test_a_puzzle_claims_nothing_but_its_output(command, project, capsys):
    puzzle = project.snippets / "practice/predict/one.py"
    puzzle.parent.mkdir(parents=True)
    puzzle.write_text("print(1 + 1)\n")
    assert report.main([puzzle], snippets=project.snippets, root=project.root) == 0
    assert "skipped: 1 puzzles" in capsys.readouterr().out


def test_red_claims_fail_the_command_otherwise(command, project):
    project.claim("assert False")
    code, printed = command()
    assert code == 2 and "also unbroken" in printed.err and "0 of 0 mutants noticed" in printed.out


def test_what_this_machine_cannot_run_is_skipped_and_named(command, project, monkeypatch):
    project.snippet.write_text('# /// script\n# [tool.warmup]\n# needs = "cuda"\n# ///\n' + project.source)
    monkeypatch.setattr("warmup.run.needs.has_gpu", lambda: False)
    code, printed = command()
    assert code == 0 and "skipped: " in printed.out and "needs cuda" in printed.out


def test_every_listed_survivor_is_a_mutant_and_says_why_it_changes_nothing():
    entries = report.listed()
    assert not report.gone(entries)
    for entry, because in entries.items():
        assert len(because.split()) >= 4 and because.endswith("."), entry


def test_a_listed_survivor_of_a_changed_line_is_found():
    path = next(SNIPPETS.rglob("*.py"))
    mutant = next(mutate(path.read_text(encoding="utf-8"), path.relative_to(SNIPPETS).as_posix()))
    assert not report.gone([mutant.key])
    for changed in (
        (mutant.snippet, mutant.line + " ", mutant.becomes, 1),
        ("no/such/file.py", "a", "b", 1),
        (mutant.snippet, mutant.line, mutant.becomes, 9),
    ):
        assert len(report.gone([changed])) == 1
