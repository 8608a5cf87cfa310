"""The mutants are real changes, only a failed test counts as noticed, and the list of survivors is true."""

from __future__ import annotations

import ast

import pytest
import yaml

from warmup.project import SNIPPETS
from warmup.run import mutants
from warmup.run.runner import Runner

SOURCE = '''"""A docstring."""
import math
import random


def area(radius: float) -> float:
    """Doc."""
    squared = radius * radius
    return math.pi * (squared + 0)


if __name__ == "__main__":
    random.seed(3)
    print(f"{area(1.0):.2f}")
'''
SUM, PRODUCT, QUOTIENT = (
    "return math.pi * (squared - 0)",
    "squared = radius / radius",
    "return math.pi / (squared + 0)",
)


def changes(text: str) -> set[tuple[str, str]]:
    return {(mutant.line, mutant.becomes) for mutant in mutants.mutate(text)}


def test_every_mutant_is_valid_python_and_differs_from_the_original():
    found = list(mutants.mutate(SOURCE))
    assert len(found) >= 8
    for mutant in found:
        assert ast.dump(ast.parse(mutant.text)) != ast.dump(ast.parse(SOURCE)), mutant


def test_statements_operators_and_constants_are_changed():
    found = changes(SOURCE)
    assert ("squared = radius * radius", "pass") in found
    assert ("squared = radius * radius", PRODUCT) in found
    assert ("return math.pi * (squared + 0)", SUM) in found
    assert ("return math.pi * (squared + 0)", "return math.pi * (squared + 1)") in found
    assert not any("Doc" in line or "import" in line for line, _ in found)


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("a = b == c", "a = b != c"),
        ("a = b is None", "a = b is not None"),
        ("a = b and c", "a = b or c"),
        ("a = True", "a = False"),
        ("a += b", "a -= b"),
        ("a = (b) // (c)", "a = (b) * (c)"),
        ("a = b ** c", "a = b * c"),
    ],
)
def test_what_becomes_of_a_line(line, becomes):
    assert changes(line) == {(line, "pass"), (line, becomes)}


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("return 1.5", "return 3.25"),
        ("return x.sum(dim=0)", "return x.sum(dim=1)"),
        ("return x[0]", "return x[1]"),
        ("return nn.Dropout(p)(x) * 3", "return nn.Dropout(p)(x) * 4"),
        ("return x.randn(True)", "return x.randn(False)"),
        ("return nn.Embedding(5, 2, padding_idx=0)", "return nn.Embedding(5, 2, padding_idx=1)"),
    ],
)
def test_a_number_that_a_function_computes_with_is_changed(line, becomes):
    assert (line, becomes) in changes(f"def f(x, p=None):\n    {line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "generator = torch.Generator().manual_seed(0)",
        "rng = np.random.default_rng(7)",
        "split(x, random_state=0)",
        "x = torch.randn(4, 3, requires_grad=flag)",
        "x = torch.tensor([[0.5], [2.0]])",
        "layer = nn.Linear(3, 5)",
        "norm = nn.BatchNorm2d(num_features(3))",
        "sgd = SGD(parameters, lr=0.1)",
        "fit(x, steps=200)",
        "torch.allclose(x, y, atol=1e-5)",
    ],
)
def test_an_example_or_a_tolerance_in_a_function_is_no_mutant(line):
    assert changes(f"def f():\n    {line}\n") == {(line, "pass")}


@pytest.mark.parametrize("parameter", ["seed: int = 0", "*, lr: float = 0.1", "x, /, y, steps: int = 9, *, atol=0.1"])
def test_a_default_that_is_an_example_is_no_mutant(parameter):
    assert not changes(f"def f({parameter}): ...\n")


def test_other_defaults_are_changed():
    assert changes("def f(x=1, seed=0, *, y=2): ...\n") == {
        ("def f(x=1, seed=0, *, y=2): ...", f"def f(x={x}, seed=0, *, y={y}): ...") for x, y in ((2, 2), (1, 3))
    }


def test_a_number_of_a_demonstration_is_an_example_but_a_flag_is_none():
    line = "print(area(3, True))"
    assert changes(line) == {(line, "pass"), (line, "print(area(3, False))")}


@pytest.mark.parametrize(
    "line",
    [
        "torch.manual_seed(0)",
        "random.seed(3)",
        "np.random.seed(1)",
    ],
)
def test_a_statement_that_only_seeds_is_no_mutant(line):
    assert not changes(line)


def test_equal_changes_are_told_apart_by_their_place():
    found = list(mutants.mutate("a = b + 1\nb = 2\na = b + 1\n"))
    assert [(m.nth, m.number) for m in found if m.becomes == "a = b - 1"] == [(1, 1), (2, 3)]
    assert len({mutants.key(mutant) for mutant in found}) == len(found)


class Project:
    """A project of one snippet, whose claims are one test module."""

    def __init__(self, root):
        self.root, self.snippets = root, root / "snippets"
        self.snippet, self.module = self.snippets / "junior/topic/area.py", root / "tests/snippets/junior/test_topic.py"
        self.snippet.parent.mkdir(parents=True)
        self.module.parent.mkdir(parents=True)
        self.snippet.write_text(SOURCE)
        self.snippet.with_suffix(".out").write_text("3.14\n")

    def claim(self, claim: str, before: str = ""):
        self.module.write_text(
            "import pytest\nfrom warmup.testing import load_snippet\n"
            f"area = load_snippet('junior/topic/area.py')\n{before}\n"
            f"def test_it():\n    {claim}\n    assert area\n"
        )

    def judge(self, runner, *lines: str):
        """The lines that mutants became and that nothing noticed; of all mutants, or of those that become `lines`."""
        found = list(mutants.mutate(SOURCE, "junior/topic/area.py"))
        found = [mutant for mutant in found if not lines or mutant.becomes in lines]
        [verdict] = mutants.verdicts(found, runner, self.snippets, self.root)
        if isinstance(verdict, mutants.Refused):
            return verdict
        assert list(verdict) == found
        self.noticed_by = {mutant.becomes: by for mutant, by in verdict.items()}
        return {mutant.becomes for mutant, by in verdict.items() if not by}


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture(scope="module")
def runner():
    with Runner() as runner:
        yield runner


def test_a_claim_notices_what_the_output_does_not_show(project, runner):
    project.claim("assert area.area(3.0) == pytest.approx(28.274, abs=0.001)")
    assert project.judge(runner) == {SUM}
    assert project.noticed_by[PRODUCT] == "claims" and project.noticed_by["return math.pi * (squared + 1)"] == "output"


def test_a_claim_that_cannot_fail_notices_nothing(project, runner):
    project.claim("assert True")
    assert project.judge(runner) == {SUM, PRODUCT, QUOTIENT}


def test_a_snippet_without_claims_has_its_output_only(project, runner):
    assert project.judge(runner) == {SUM, PRODUCT, QUOTIENT}


@pytest.mark.parametrize("claim", ["assert False", "raise SystemExit(3)", "import not_installed"])
def test_claims_that_are_red_unbroken_are_refused_by_name(project, runner, claim):
    project.claim(claim)
    refusal = project.judge(runner, SUM)
    assert isinstance(refusal, mutants.Refused) and "area.py fail, also unbroken" in str(refusal)
    if "SystemExit" not in claim:
        assert "FAILED tests/snippets/junior/test_topic.py::test_it" in str(refusal)


def test_a_module_that_does_not_load_unbroken_is_refused(project, runner):
    project.claim("pass", before="import not_installed")
    refusal = project.judge(runner, SUM)
    assert isinstance(refusal, mutants.Refused) and "ModuleNotFoundError" in str(refusal)


def test_an_output_that_is_not_the_recorded_one_is_refused(project, runner):
    project.claim("pass")
    project.snippet.with_suffix(".out").write_text("3.15\n")
    refusal = project.judge(runner, SUM)
    assert isinstance(refusal, mutants.Refused) and "+3.14" in str(refusal)


def test_a_mutant_that_its_claims_cannot_load_is_noticed(project, runner):
    project.claim("pass", before="assert area.area(2.0) > 12")
    assert project.judge(runner, SUM, PRODUCT) == {SUM}


def test_a_mutant_that_kills_the_process_of_its_claims_is_noticed(project, runner):
    project.claim("import os; area.area(2.0) > 12 or os.kill(os.getpid(), 9)")
    assert project.judge(runner, SUM, PRODUCT) == {SUM}


def test_a_mutant_that_never_ends_is_noticed(project, runner, monkeypatch):
    monkeypatch.setattr(mutants, "SPARE", 2)
    project.claim("\n    while area.area(2.0) < 12: pass")
    assert project.judge(runner, SUM, PRODUCT) == {SUM} and project.noticed_by[PRODUCT] == "time"


def test_an_environment_that_breaks_halfway_is_refused(project, runner):
    # The mutant cannot be loaded, and neither can the snippet from then on.
    project.claim(
        "pass",
        before=(
            "import pathlib\nflag = pathlib.Path(__file__).with_suffix('.broken')\n"
            "if area.area(2.0) < 12: flag.touch()\nassert not flag.exists()\n"
        ),
    )
    assert isinstance(project.judge(runner, PRODUCT), mutants.Refused)


def test_mutants_of_the_same_size_and_second_are_not_taken_for_each_other(project, runner):
    project.claim("assert area.area(2.0) > 12")
    for _ in range(3):
        assert project.judge(runner, SUM, PRODUCT) == {SUM}


MODULE = """
import pytest
from warmup.testing import load_snippet
area = load_snippet("junior/topic/area.py")
other = load_snippet("junior/topic/other.py")
def helper(): return area.area(1)
@pytest.fixture
def measured(): return helper()
def test_direct(): area
def test_other(): other
class TestA:
    SIZES = [area.area(2)]
    def help(self): return area
    @pytest.mark.parametrize("size", SIZES)
    def test_by_class_attribute(self, size): pass
    def test_by_fixture(self, measured): pass
    def test_by_method(self): self.help()
    def test_unrelated(self): other
class TestB:
    @pytest.fixture(autouse=True)
    def always(self): area.area(3)
    def test_by_autouse(self): pass
class Helper:
    def test_none(self): area
"""


def test_claims_are_the_tests_that_reach_the_snippet(tmp_path):
    module = tmp_path / "tests/snippets/junior/test_topic.py"
    module.parent.mkdir(parents=True)
    module.write_text(MODULE)
    name = "tests/snippets/junior/test_topic.py::"
    assert mutants.claims("junior/topic/area.py", tmp_path) == [
        name + test
        for test in (
            "test_direct",
            "TestA::test_by_class_attribute",
            "TestA::test_by_fixture",
            "TestA::test_by_method",
            "TestB::test_by_autouse",
        )
    ]
    assert mutants.claims("junior/topic/nowhere.py", tmp_path) == []


@pytest.fixture
def command(project, capsys):
    """Runs the command on the project, with a list of survivors; gives its exit code and what it printed."""
    project.claim("assert area.area(2.0) > 12")

    def run(listed: tuple[str, ...] = (), **options):
        file = project.root / "equivalent_mutants.yml"
        entries = [
            {"line": "return math.pi * (squared + 0)", "becomes": becomes, "because": "Plus or minus nothing."}
            for becomes in listed
        ]
        file.write_text(yaml.safe_dump({"junior/topic/area.py": entries}))
        code = mutants.main([project.snippet], **options, listed_in=file, snippets=project.snippets, root=project.root)
        return code, capsys.readouterr()

    return run


@pytest.fixture
def judged(monkeypatch):
    """The verdict of a run (only SUM survives), without the run: for what the command makes of it."""

    def verdicts(several, *_):
        if several:
            yield {mutant: "" if mutant.becomes == SUM else "output" for mutant in several}

    monkeypatch.setattr(mutants, "verdicts", verdicts)


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
def test_an_entry_outside_the_sample_is_not_judged(command):
    noticed = "return math.pi * (squared + 1)"
    codes = {seed: command((SUM, noticed), size=1, seed=seed)[0] for seed in range(12)}
    picked = {
        seed: min(mutants.mutate(SOURCE, "junior/topic/area.py"), key=lambda m, s=seed: m.rank(s)).becomes
        for seed in codes
    }
    assert len(set(picked.values())) > 3
    assert codes == {seed: int(becomes == noticed) for seed, becomes in picked.items()}


def test_a_puzzle_claims_nothing_but_its_output(command, project, capsys):
    puzzle = project.snippets / "practice/predict/one.py"
    puzzle.parent.mkdir(parents=True)
    puzzle.write_text("print(1 + 1)\n")
    assert mutants.main([puzzle], snippets=project.snippets, root=project.root) == 0
    assert "skipped: 1 puzzles" in capsys.readouterr().out


def test_red_claims_fail_the_command_otherwise(command, project):
    project.claim("assert False")
    code, printed = command()
    assert code == 2 and "also unbroken" in printed.err and "0 of 0 mutants noticed" in printed.out


def test_what_this_machine_cannot_run_is_skipped_and_named(command, project, monkeypatch):
    project.snippet.write_text('# /// script\n# [tool.warmup]\n# needs = "cuda"\n# ///\n' + SOURCE)
    monkeypatch.setattr("warmup.run.runner.has_gpu", lambda: False)
    code, printed = command()
    assert code == 0 and "skipped: " in printed.out and "needs cuda" in printed.out


def test_a_sample_is_the_same_every_time_and_keeps_its_order_when_a_snippet_is_added():
    found = [mutant for name in ("a.py", "b.py", "c.py") for mutant in mutants.mutate(SOURCE, name)]

    def sample(several, size, seed):
        return [mutants.key(m) for m in mutants.sample(several, size, seed)]

    assert sample(found, 10, 0) == sample(list(reversed(found)), 10, 0) != sample(found, 10, 1)
    assert sample(found, 5, 0) == sample(found, 10, 0)[:5]
    without = [mutant for mutant in found if mutant.snippet != "b.py"]
    assert sample(without, 99, 0) == [entry for entry in sample(found, 99, 0) if entry[0] != "b.py"]
    moved = [mutant for name in ("a.py",) for mutant in mutants.mutate("\n\n" + SOURCE, name)]
    assert sample(moved, 99, 0) == [entry for entry in sample(found, 99, 0) if entry[0] == "a.py"]


def test_every_listed_survivor_is_a_mutant_and_says_why_it_changes_nothing():
    entries = mutants.listed()
    assert not mutants.gone(entries)
    for entry, because in entries.items():
        assert len(because.split()) >= 4 and because.endswith("."), entry


def test_a_listed_survivor_of_a_changed_line_is_found():
    path = next(SNIPPETS.rglob("*.py"))
    mutant = next(mutants.mutate(path.read_text(encoding="utf-8"), path.relative_to(SNIPPETS).as_posix()))
    assert not mutants.gone([mutants.key(mutant)])
    for changed in (
        (mutant.snippet, mutant.line + " ", mutant.becomes, 1),
        ("no/such/file.py", "a", "b", 1),
        (mutant.snippet, mutant.line, mutant.becomes, 9),
    ):
        assert len(mutants.gone([changed])) == 1
