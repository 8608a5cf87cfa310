"""Who tests the tests: break a snippet on purpose and see whether anything notices.

A mutant is a snippet with one statement dropped, one operator swapped or one constant changed. It is noticed if its
output no longer matches the recorded one, or if a claim that uses the snippet fails. One that survives shows a line
that neither the page's output nor a claim depends on. The few that change nothing that anyone could see stand in
tests/equivalent_mutants.yml, each with the reason; any other survivor is an error.

Nothing is judged by a test that is red anyway: a snippet must print what is recorded, and its claims must pass, before
it is broken. Then only a failed test is a claim that noticed.

What is no mutant, because another one must lead to the same conclusion:

- a seed, and the statement that sets one: a snippet is seeded by rule, also where its output does not depend on it;
- data: the sizes of a layer, and the sizes and values of a tensor that is made of nothing;
- how fast and how long a model trains;
- any other number of a demonstration, outside of functions and classes: it is an example, and its output is compared;
- a tolerance: the mutation widens it, and what was equal stays equal;
- a puzzle: that a line changes nothing is often its point, and nothing is claimed but its output.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections import ChainMap, Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from warmup.content import puzzles
from warmup.content.header import parse
from warmup.project import ROOT, SNIPPETS, relative
from warmup.run import record
from warmup.run.runner import Result, Runner, missing_need

LISTED = ROOT / "tests" / "equivalent_mutants.yml"

OPERATORS = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.Pow: "*",
    ast.MatMult: "*",
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.And: "or",
    ast.Or: "and",
    ast.Is: "is not",
    ast.IsNot: "is",
}
SEEDS = {"manual_seed", "seed", "default_rng", "Random"}
EXAMPLES = {"seed", "random_state", "atol", "rtol", "abs_tol", "rel_tol", "lr", "steps", "epochs", "size"}
TENSORS = {"tensor", "as_tensor", "ones", "zeros", "full", "empty", "rand", "randn", "randint", "randperm", "array"}
LAYERS = re.compile(
    r"(Linear|Conv\dd|ConvTranspose\dd|BatchNorm\dd|LayerNorm|GroupNorm|Embedding|RNN|GRU|LSTM"
    r"|MultiheadAttention|TransformerEncoderLayer)$"
)

# A mutant may loop for ever: it gets this many times the snippet's own seconds, and some for a busy machine.
PATIENCE, SPARE = 3, 10
UNBROKEN = 600


class Refused(RuntimeError):
    """Nothing can be said about the mutants: something is wrong without them."""


@dataclass(frozen=True)
class Mutant:
    """A changed source.

    snippet: its path below ``snippets/``. line, becomes: the first line that changed, before and after, without its
    indentation. nth: 1, or 2 for the second place in the file with the same two lines, and so on.
    """

    snippet: str
    line: str
    becomes: str
    nth: int
    number: int = field(compare=False)
    text: str = field(compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.snippet}:{self.number}: {self.line}  ->  {self.becomes}"

    def rank(self, seed: int) -> str:
        """Where it stands in a random order that stays the same for all others when a snippet changes."""
        key = "\n".join((str(seed), self.snippet, self.line, self.becomes, str(self.nth)))
        return hashlib.sha256(key.encode()).hexdigest()


def mutate(text: str, snippet: str = "") -> Iterator[Mutant]:
    """All mutants of a snippet: dropped statements, swapped operators, changed numbers and flags."""
    raw, before, seen = text.encode(), text.split("\n"), Counter()
    for begin, end, new in _changes(text):
        changed = (raw[:begin] + new.encode() + raw[end:]).decode()
        after = changed.split("\n")
        number = next(i for i, (old, now) in enumerate(zip(before, after, strict=False)) if old != now)
        lines = before[number].strip(), after[number].strip()
        seen[lines] += 1
        yield Mutant(snippet, *lines, seen[lines], number + 1, changed)


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    """What to replace by what, as bytes: begin, end, new text."""
    tree, raw, starts = ast.parse(text), text.encode(), [0]
    for line in raw.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)

    def span(node: ast.AST) -> tuple[int, int]:
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def operator(left: ast.AST, right: ast.AST, new: str) -> Iterator[tuple[int, int, str]]:
        # Between the operands stand the operator, blanks, and brackets of the operands, which stay.
        begin, end = span(left)[1], span(right)[0]
        old = raw[begin:end].decode()
        bare = old.replace(")", " ").replace("(", " ").strip()
        if bare and "\n" not in old:
            yield begin, end, old.replace(bare, new)

    examples = {inner for node in ast.walk(tree) for part in _examples(node) for inner in ast.walk(part)}
    for parent in ast.walk(tree):
        for _, body in ast.iter_fields(parent):
            for node in body if isinstance(body, list) else []:
                if isinstance(node, ast.stmt) and _can_drop(node):
                    yield *span(node), "pass"
        if isinstance(parent, ast.BinOp) and type(parent.op) in OPERATORS:
            yield from operator(parent.left, parent.right, OPERATORS[type(parent.op)])
        if isinstance(parent, ast.AugAssign) and type(parent.op) in OPERATORS:
            yield from operator(parent.target, parent.value, OPERATORS[type(parent.op)] + "=")
        if isinstance(parent, ast.Compare) and type(parent.ops[0]) in OPERATORS:
            yield from operator(parent.left, parent.comparators[0], OPERATORS[type(parent.ops[0])])
        if isinstance(parent, ast.BoolOp):
            yield from operator(*parent.values[:2], OPERATORS[type(parent.op)])
        if isinstance(parent, ast.Constant) and not (parent in examples and type(parent.value) in (int, float)):
            match parent.value:
                case bool():
                    yield *span(parent), str(not parent.value)
                case int():
                    yield *span(parent), str(parent.value + 1)
                case float():
                    yield *span(parent), repr(parent.value * 2 + 0.25)


def _examples(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node whose numbers are an example."""
    if isinstance(node, ast.Module):
        yield from (part for part in node.body if not isinstance(part, ast.FunctionDef | ast.ClassDef))
    if isinstance(node, ast.keyword) and node.arg in EXAMPLES:
        yield node.value
    if isinstance(node, ast.arguments):
        positional = [*node.posonlyargs, *node.args]
        pairs = [
            *zip(positional[::-1], node.defaults[::-1], strict=False),
            *zip(node.kwonlyargs, node.kw_defaults, strict=True),
        ]
        yield from (default for argument, default in pairs if default and argument.arg in EXAMPLES)
    if isinstance(node, ast.Call) and (_name(node) in SEEDS | TENSORS or LAYERS.match(_name(node))):
        yield from node.args


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", None) or getattr(call.func, "id", "")


def _can_drop(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Pass):
        return False
    if isinstance(node, ast.Expr):  # no docstring, and nothing that only seeds
        return not isinstance(node.value, ast.Constant) and not (
            isinstance(node.value, ast.Call) and _name(node.value) in SEEDS
        )
    return True


def claims(snippet: str, root: Path = ROOT) -> list[str]:
    """The tests that use a snippet, as pytest names them: those that reach its path through names of their module.

    A test reaches what its decorators, arguments (fixtures) and body name, in its class and its module, and what
    those name in turn.
    """
    stem = Path(snippet).stem
    path = re.compile(rf"{re.escape(snippet)}|(?:from|import) {stem}\b")
    found = []
    for module in sorted((root / "tests" / "snippets").rglob("test_*.py")):
        text = module.read_text(encoding="utf-8")
        if not path.search(text):
            continue
        tree = ast.parse(text)
        outer, name = _bindings(tree.body), module.relative_to(root).as_posix()
        for node in tree.body:
            if _is_test(node, ast.FunctionDef, "test_") and _reaches([node], outer, path):
                found.append(f"{name}::{node.name}")
            if _is_test(node, ast.ClassDef, "Test"):
                inner = ChainMap(_bindings(node.body), outer)
                always = [*node.decorator_list, *node.bases, *(part for part in node.body if _is_autouse(part))]
                found += [
                    f"{name}::{node.name}::{test.name}"
                    for test in node.body
                    if _is_test(test, ast.FunctionDef, "test_") and _reaches([test, *always], inner, path)
                ]
    return found


def _is_test(node: ast.stmt, kind: type, prefix: str) -> bool:
    return isinstance(node, kind) and node.name.startswith(prefix)


def _is_autouse(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any("autouse" in ast.dump(mark) for mark in node.decorator_list)


def _bindings(body: list[ast.stmt]) -> dict[str, list[ast.AST]]:
    """Which statements give each name its value."""
    found = defaultdict(list)
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            found[statement.name].append(statement)
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id].append(statement)
    return dict(found)  # a ChainMap would take the empty list of a defaultdict for an answer


def _reaches(start: list[ast.AST], scope: ChainMap | dict, path: re.Pattern) -> bool:
    waiting, seen = list(start), set()
    while waiting:
        for node in ast.walk(waiting.pop()):
            match node:
                case ast.Constant(value=str() as name):
                    if path.search(name):
                        return True
                case ast.Name(id=name) | ast.arg(arg=name):
                    pass
                case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                    pass
                case _:
                    continue
            if name in scope and name not in seen:
                seen.add(name)
                waiting += scope[name]
    return False


# Runs as a snippet does, forked from the server that has imported torch. No bytecode is written: a mutant of the
# same second and size would be taken for the one before.
_PYTEST = """\
import os, sys
if __name__ == "__main__":
    os.chdir({root!r})
    sys.path.insert(0, {scripts!r})
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ["WARMUP_SNIPPETS"] = {snippets!r}
    import pytest
    sys.exit(pytest.main(
        ["-x", "-q", "-rfE", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist",
         "-o", "addopts=--import-mode=importlib", *{tests!r}]))
"""


class Judge:
    """Breaks one snippet in a copy of all, and asks its output and its claims.

    Raises:
        Refused: the snippet or its claims fail unbroken.
    """

    def __init__(self, path: Path, runner: Runner, folder: Path, snippets: Path = SNIPPETS, root: Path = ROOT):
        self.runner, self.root, self.snippet = runner, root, path.relative_to(snippets).as_posix()
        self.text = path.read_text(encoding="utf-8")
        self.tree, self.script = folder / "snippets", folder / "claims.py"
        shutil.copytree(snippets, self.tree, ignore=shutil.ignore_patterns("__pycache__"))
        self.path = self.tree / self.snippet
        self.tests = claims(self.snippet, root)
        self.claims_seconds: float | None = None
        result = runner.run(self.path, UNBROKEN)
        if result.status != "ok" or record.compare(self.path, result):
            raise Refused(
                f"{self.snippet} does not print what is recorded, also unbroken:\n"
                f"{result.message or record.compare(self.path, result)}{result.stderr}"
            )
        self.seconds = result.seconds

    def notices(self, mutant: Mutant) -> str:
        """What tells the mutant from the snippet: its output, a claim, that it never ends, or "" for nothing."""
        self.path.write_text(mutant.text, encoding="utf-8")
        try:
            result = self.runner.run(self.path, SPARE + PATIENCE * self.seconds)
            if result.status == "timeout":
                return "time"
            if result.status != "ok" or record.compare(self.path, result):
                return "output"
            return self._claims_notice(mutant)
        finally:
            self.path.write_text(self.text, encoding="utf-8")

    def _claims_notice(self, mutant: Mutant) -> str:
        if not self.tests:
            return ""
        if self.claims_seconds is None:
            self._pass_unbroken()
        self.path.write_text(mutant.text, encoding="utf-8")
        result = self._pytest(SPARE + PATIENCE * self.claims_seconds)
        if result.code == 0 and result.status in ("ok", "left-children"):
            return ""
        if result.status == "timeout":
            return "time"
        if result.code == 1:
            return "claims"
        # The module does not load, or the process died. Is it the mutant? Then all is well without it.
        self._pass_unbroken()
        return "claims"

    def _pass_unbroken(self) -> None:
        self.path.write_text(self.text, encoding="utf-8")
        result = self._pytest(UNBROKEN)
        if result.code != 0:
            raise Refused(f"The claims about {self.snippet} fail, also unbroken:\n{result.stdout}{result.stderr}")
        self.claims_seconds = result.seconds

    def _pytest(self, timeout: float) -> Result:
        self.script.write_text(
            _PYTEST.format(
                root=str(self.root), scripts=str(ROOT / "scripts"), snippets=str(self.tree), tests=self.tests
            )
        )
        return self.runner.run(self.script, timeout)


def verdicts(
    mutants: Iterable[Mutant],
    runner: Runner,
    snippets: Path = SNIPPETS,
    root: Path = ROOT,
) -> Iterator[dict[Mutant, str] | Refused]:
    """Snippet by snippet, as they are done: what noticed each of its mutants, "" for nothing; or why none is judged."""
    by_snippet = defaultdict(list)
    for mutant in mutants:
        by_snippet[mutant.snippet].append(mutant)

    def judge(name: str) -> dict[Mutant, str] | Refused:
        with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
            try:
                judge = Judge(snippets / name, runner, Path(folder), snippets, root)
                return {mutant: judge.notices(mutant) for mutant in by_snippet[name]}
            except Refused as refusal:
                return refusal

    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        for future in as_completed([pool.submit(judge, name) for name in by_snippet]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def listed(file: Path = LISTED) -> dict[tuple[str, str, str, int], str]:
    """The accepted survivors and why each changes nothing that anyone could see."""
    entries = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    return {
        (snippet, entry["line"], entry["becomes"], entry.get("nth", 1)): entry["because"]
        for snippet, several in entries.items()
        for entry in several
    }


def key(mutant: Mutant) -> tuple[str, str, str, int]:
    """How a survivor is listed: by its text, so that it stays listed when its line moves."""
    return mutant.snippet, mutant.line, mutant.becomes, mutant.nth


def gone(entries: Iterable[tuple[str, str, str, int]], snippets: Path = SNIPPETS) -> list[str]:
    """The listed survivors that are no mutants: the snippet or the line has changed since."""
    return [
        _shown(entry)
        for entry in entries
        if entry not in {key(mutant) for mutant in _mutants_of(snippets / entry[0], snippets)}
    ]


def _mutants_of(path: Path, snippets: Path = SNIPPETS) -> list[Mutant]:
    if not path.is_file():
        return []
    return list(mutate(path.read_text(encoding="utf-8"), path.relative_to(snippets).as_posix()))


def sample(mutants: Iterable[Mutant], size: int, seed: int) -> list[Mutant]:
    """Always the same ones; a snippet that comes or goes moves no other mutant."""
    return sorted(mutants, key=lambda mutant: mutant.rank(seed))[:size]


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
            mutants += _mutants_of(path, snippets)
    if size:
        mutants = sample(mutants, size, seed)
    names = {path.relative_to(snippets).as_posix() for path in paths}
    wrong = [
        f"listed, but no mutant: {line}" for line in gone((entry for entry in accepted if entry[0] in names), snippets)
    ]
    judged, alive, refusals, noticed_by = set(), set(), [], Counter()
    with Runner() as runner:
        for verdict in verdicts(mutants, runner, snippets, root):
            if isinstance(verdict, Refused):
                refusals.append(verdict)
                continue
            unnoticed = [mutant for mutant, by in verdict.items() if not by]
            judged |= {key(mutant) for mutant in verdict}
            alive |= {key(mutant) for mutant in unnoticed}
            noticed_by.update(by for by in verdict.values() if by)
            print(f"{len(verdict) - len(unnoticed):4} of {len(verdict):3}  {next(iter(verdict)).snippet}", flush=True)
            for mutant in unnoticed:
                print(f"             {mutant}" + (" (listed)" if key(mutant) in accepted else ""), flush=True)
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
