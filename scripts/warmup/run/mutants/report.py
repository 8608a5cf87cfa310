"""What no test noticed, beside what is listed as changing nothing: the command `make mutants`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import yaml

from warmup.content.header import parse
from warmup.kinds import puzzles
from warmup.project import ROOT, SNIPPETS, relative
from warmup.run.mutants.mutate import mutants_of, sample
from warmup.run.mutants.noticed import Refused, verdicts
from warmup.run.needs import missing_need
from warmup.run.runner import Runner

LISTED = ROOT / "tests" / "equivalent_mutants.yml"


def listed(file: Path = LISTED) -> dict[tuple[str, str, str, int], str]:
    """The accepted survivors and why each changes nothing that anyone could see."""
    entries = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    return {
        (snippet, entry["line"], entry["becomes"], entry.get("nth", 1)): entry["because"]
        for snippet, several in entries.items()
        for entry in several
    }


def gone(entries: Iterable[tuple[str, str, str, int]], snippets: Path = SNIPPETS) -> list[str]:
    """The listed survivors that are no mutants: the snippet or the line has changed since."""
    return [
        _shown(entry)
        for entry in entries
        if entry not in {mutant.key for mutant in mutants_of(snippets / entry[0], snippets)}
    ]


def main(
    paths: list[Path],
    size: int = 0,
    seed: int = 0,
    *,
    listed_in: Path = LISTED,
    snippets: Path = SNIPPETS,
    root: Path = ROOT,
) -> int:
    """Judge all mutants of the snippets, or a sample of that size, and print what nobody noticed.

    Returns:
        0; 1 if a survivor is not listed, or a listed one is noticed or gone; 2 if nothing can be said
        about some, because they are red unbroken.
    """
    accepted, mutants = listed(listed_in), []
    claiming = [path for path in paths if puzzles.FOLDER not in path.as_posix()]
    if count := len(paths) - len(claiming):
        print(f"skipped: {count} puzzles, which claim nothing but their output")
    for path in claiming:
        if reason := missing_need(parse(path.read_text(encoding="utf-8"), path)):
            print(f"skipped: {relative(path)} {reason}")
        else:
            mutants += mutants_of(path, snippets)
    if size:
        mutants = sample(mutants, size, seed)
    names = {path.relative_to(snippets).as_posix() for path in paths}
    wrong = [
        f"listed, but no mutant: {line}" for line in gone((entry for entry in accepted if entry[0] in names), snippets)
    ]
    judged, alive = set(), set()
    refusals: list[Refused] = []
    noticed_by: Counter[str] = Counter()
    with Runner() as runner:
        for verdict in verdicts(mutants, runner, snippets, root):
            if isinstance(verdict, Refused):
                refusals.append(verdict)
                continue
            unnoticed = [mutant for mutant, by in verdict.items() if not by]
            judged |= {mutant.key for mutant in verdict}
            alive |= {mutant.key for mutant in unnoticed}
            noticed_by.update(by for by in verdict.values() if by)
            print(f"{len(verdict) - len(unnoticed):4} of {len(verdict):3}  {next(iter(verdict)).snippet}", flush=True)
            for mutant in unnoticed:
                print(f"             {mutant}" + (" (listed)" if mutant.key in accepted else ""), flush=True)
    wrong += [f"listed, but noticed now: {_shown(entry)}" for entry in sorted(judged & accepted.keys() - alive)]
    wrong += [f"nothing notices: {_shown(entry)}" for entry in sorted(alive - accepted.keys())]
    print(
        f"{len(judged) - len(alive)} of {len(judged)} mutants noticed, {1 - len(alive) / max(1, len(judged)):.1%} "
        f"({', '.join(f'{count} by {by}' for by, count in sorted(noticed_by.items()))}); "
        f"{len(alive & accepted.keys())} listed as changing nothing"
    )
    if wrong:
        print(
            *wrong,
            f"Prove the line, simplify it, or say in {relative(LISTED)} why it changes nothing.",
            sep="\n",
            file=sys.stderr,
        )
    print(*refusals, sep="\n", end="\n" if refusals else "", file=sys.stderr)
    return 2 if refusals else int(bool(wrong))


def _shown(entry: tuple[str, str, str, int]) -> str:
    snippet, line, becomes, nth = entry
    return f"{snippet}: {line}  ->  {becomes}" + (f"  ({nth})" if nth > 1 else "")
