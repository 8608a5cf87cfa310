"""The whole hangs together: pages, snippets, outputs and claims mirror each other, and nothing is left over."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

from warmup import checks, vocabulary
from warmup.checks import retired
from warmup.content import header, levels, markdown, navigation, outputs, trainers
from warmup.project import DOCS, ROOT, SNIPPETS

SITE = levels.load()
PROGRAMS = outputs.programs(SNIPPETS)
MARKDOWN = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def report(problems) -> str:
    return "\n".join(map(str, problems))


def written(*folders: str) -> list[Path]:
    return [path for folder in folders for path in (DOCS / folder).rglob("*.md") if path.name != "index.md"]


def test_every_page_that_is_written_is_a_question_or_practice_of_the_site():
    sheets = [level.sheet.path for level in SITE.levels if level.sheet]
    assert len(sheets) == len(SITE.levels)
    assert sorted([question.path for question in SITE.questions] + sheets) == sorted(written(*vocabulary.LEVELS))
    assert sorted(puzzle.page.path for puzzle in SITE.puzzles) == sorted(written("practice/predict"))
    assert sorted(page.path for page in SITE.exercises) == sorted(written("practice/write"))
    assert sorted(page.path for page in SITE.trainers) == sorted(written("practice/trainers"))
    assert SITE.questions and SITE.puzzles and SITE.exercises


def test_no_page_snippet_or_output_has_a_problem():
    problems = checks.problems(SITE)
    assert not problems, report(problems)


def test_no_retired_name_is_used_outside_the_pages_about_it():
    problems = list(retired.find())
    assert not problems, report(problems)


def test_retired_names_name_pages_that_exist():
    assert {page for entry in retired.RETIRED for page in entry.pages} <= set(SITE.by_id)


LONGEST = 145  # of 84 columns: a file to take away, with all that it needs, and what shows it


def faults(text: str, path: Path) -> list[str]:
    """Why a snippet is not one idea that says what its functions take."""
    found = []
    lines = [line for line in text.split("\n") if line.strip()]
    head = header.parse(text, path)
    if len(lines) - (head.end - head.start) > LONGEST:
        found.append("Split it: a snippet has one idea.")
    if "TODO" in text:
        found.append("There is something to do.")
    definitions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    if (
        definitions
        and 'if __name__ == "__main__":' in text
        and not path.stem.endswith("_broken")
        and path.stem not in ("broken", "fixed")  # of a trainer, whose page says what it does
        and not any(ast.get_docstring(node) for node in definitions)
    ):
        found.append("Nothing in it says what it takes and returns.")
    return found


def test_snippets_are_small_and_say_what_their_functions_take():
    problems = [f"{name(path)}: {fault}" for path in PROGRAMS for fault in faults(path.read_text("utf-8"), path)]
    assert not problems, report(problems)


HEADER = '# /// script\n# dependencies = ["torch"]\n# ///\n'
MAIN = 'if __name__ == "__main__":\n    f()\n'


@pytest.mark.parametrize(
    ("text", "stem", "expected"),
    [
        ("x = 1\n\n" * LONGEST, "a", []),
        (HEADER + "x = 1\n" * (LONGEST - 1), "a", []),
        ("x = 1\n" * (LONGEST + 1), "a", ["Split it: a snippet has one idea."]),
        ("x = 1  # TODO\n", "a", ["There is something to do."]),
        (f"def f():\n    pass\n{MAIN}", "a", ["Nothing in it says what it takes and returns."]),
        (f"def f():\n    pass\n{MAIN}", "a_broken", []),
        (f"def f():\n    pass\n{MAIN}", "fixed", []),
        (f'def f():\n    """Says it."""\n{MAIN}', "a", []),
        ("def f():\n    pass\nf()\n", "a", []),
    ],
)
def test_what_is_wrong_with_a_snippet(text, stem, expected):
    assert faults(text, Path(f"{stem}.py")) == expected


CLAIMS = ROOT / "tests" / "snippets"


def claims_module(question: str) -> Path:
    """Where the claims of a question or of a topic's index stand: it has their name."""
    path = CLAIMS / f"{question}.py"
    return path.with_name(f"test_{path.name.replace('-', '_')}")


def has_tests(text: str) -> bool:
    """Whether a class of a claims module holds a test."""
    return any(
        isinstance(member, ast.FunctionDef) and member.name.startswith("test_")
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test")
        for member in node.body
    )


def test_every_question_has_a_claims_module_with_tests():
    missing = [
        name(module)
        for module in map(claims_module, SITE.by_id)
        if not module.exists() or not has_tests(module.read_text(encoding="utf-8"))
    ]
    assert not missing, report(missing)


@pytest.mark.parametrize(
    ("text", "proves"),
    [
        ("class TestA:\n    def test_it(self): pass\n", True),
        ("class TestA:\n    x = 1\n", False),
        ("class A:\n    def test_it(self): pass\n", False),
        ("class TestA:\n    def helper(self): pass\n", False),
        ("", False),
    ],
)
def test_a_class_without_tests_proves_nothing(text, proves):
    assert has_tests(text) is proves


def test_no_claims_module_without_a_page():
    pages = [*SITE.by_id, *(f"{t.level}/{t.slug}/index" for level in SITE.levels for t in level.topics)]
    strays = set(CLAIMS.rglob("test_*.py")) - set(map(claims_module, pages))
    assert not strays, report(sorted(map(name, strays)))


@functools.cache
def source(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def is_for_import(text: str) -> bool:
    """Of a plain script, the output is the claim."""
    return 'if __name__ == "__main__":' in text and bool(re.search(r"^(?:def|class) ", text, flags=re.M))


def test_snippets_with_functions_are_imported_by_their_claims():
    own = SNIPPETS / trainers.FOLDER  # tests/trainers has theirs
    paths = [path for path in PROGRAMS if is_for_import(source(path)) and not path.is_relative_to(own)]
    assert paths
    missing = []
    for path in paths:
        snippet = path.relative_to(SNIPPETS)
        if not any(snippet.as_posix() in source(module) for module in (CLAIMS / snippet.parent).glob("test_*.py")):
            missing.append(f"no module in {name(CLAIMS / snippet.parent)} loads {snippet.as_posix()}")
    assert not missing, report(missing)


def misspelled(text: str) -> list[tuple[int, str]]:
    """Fences of Python, by their lines, that pytest-codeblocks would not run: it knows ```python, ```sh and ```bash."""
    found = []
    for line in markdown.lines(text):
        language, _, options = line.fence.info.partition(" ") if line.opens else ("", "", "")
        if language.lower() in {"py", "python3", "pycon", "ipython"}:
            found.append((line.number, "write ```python, or ```text for code that is not run"))
        if language == "python" and options.strip() and 'title="' not in options:
            found.append((line.number, "a python fence with options would not run"))
    return found


def test_fences_are_spelled_so_that_they_are_run_or_plainly_not():
    problems = [
        f"{name(path)}:{number}: {message}"
        for path in MARKDOWN
        for number, message in misspelled(path.read_text(encoding="utf-8"))
    ]
    assert not problems, report(problems)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("```python", False),
        ('```python title="a.py"', False),
        ("```text", False),
        ("    ```python", False),
        ("```py", True),
        ("~~~ pycon", True),
        ("    ````Python3", True),
        ("```python hl_lines=1", True),
    ],
)
def test_which_fences_are_misspelled(line, wrong):
    closing = re.match(r"\s*(`+|~+)", line)[0]
    assert [number for number, _ in misspelled(f"\n{line}\n{closing}\n")] == [2] * wrong


def test_navigation_names_every_topic_once_and_the_site_shows_them_in_its_order():
    listed = re.findall(r"^      - ([a-z]+/[a-z0-9-]+)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), flags=re.M)
    assert set(navigation.PRACTICE) <= set(listed)
    listed = [folder for folder in listed if folder not in navigation.PRACTICE]
    shown = levels.load(topic_order=listed)
    assert [f"{topic.level}/{topic.slug}" for level in shown.levels for topic in level.topics] == listed
