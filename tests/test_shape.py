"""The whole hangs together: pages, snippets, outputs and claims mirror each other, and nothing is left over."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from warmup import header, imports, markdown, nav, pages, retired
from warmup.problems import ROOT

SITE = pages.load()
SNIPPETS = sorted(pages.SNIPPETS.rglob("*.py"))
MARKDOWN = sorted([*pages.DOCS.rglob("*.md"), *ROOT.glob("*.md")])


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def report(problems) -> str:
    return "\n".join(map(str, problems))


def test_there_are_questions():
    assert len(SITE.questions) >= 14


def test_there_are_puzzles():
    assert len(SITE.puzzles) >= 20


def test_no_page_snippet_or_output_has_a_problem():
    problems = pages.check_site(SITE)
    assert not problems, report(problems)


def test_no_retired_name_is_used_outside_the_pages_about_it():
    problems = list(retired.find())
    assert not problems, report(problems)


@pytest.mark.parametrize("entry", retired.RETIRED, ids=lambda entry: entry.pattern)
def test_retired_names_name_pages_that_exist(entry):
    assert all(page in SITE.by_id for page in entry.pages)


def test_only_the_page_about_a_retired_name_and_the_snippets_that_it_shows_may_use_it(tmp_path):
    text = "torch.cuda.amp.GradScaler()\n"
    page = '---\ntitle: T\n---\n```python title="x.py"\n--8<-- "senior/mixed-precision/grad_scaler.py"\n```\n'
    for file, content in {
        "docs/senior/mixed-precision/grad-scaler.md": page + text,
        "docs/senior/mixed-precision/grad-scaler-clip.md": "---\ntitle: T\n---\n" + text,
        "snippets/senior/mixed-precision/grad_scaler.py": text,
        "snippets/senior/mixed-precision/grad_scaler_clip.py": text,
        "snippets/junior/mixed-precision/grad_scaler.py": text,
    }.items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    assert sorted(problem.path.removeprefix(f"{tmp_path.as_posix()}/") for problem in retired.find(tmp_path)) == [
        "docs/senior/mixed-precision/grad-scaler-clip.md",
        "snippets/junior/mixed-precision/grad_scaler.py",
        "snippets/senior/mixed-precision/grad_scaler_clip.py",
    ]


@pytest.mark.parametrize("path", SNIPPETS, ids=name)
def test_snippet_imports_only_what_it_declares(path):
    problems = list(imports.check(path))
    assert not problems, report(problems)


@pytest.mark.parametrize("path", SNIPPETS, ids=name)
def test_snippet_is_small_and_says_what_its_functions_take(path):
    text = path.read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line.strip()]
    found = header.parse(text, path)
    assert len(lines) - (found.end - found.start) <= 85, "Split it: a snippet has one idea."
    assert "TODO" not in text
    definitions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    if definitions and 'if __name__ == "__main__":' in text and not path.stem.endswith("_broken"):
        assert any(ast.get_docstring(node) for node in definitions), "Nothing in it says what it takes and returns."


def claims_module(level: str, topic: str) -> Path:
    return ROOT / "tests" / "snippets" / level / f"test_{topic.replace('-', '_')}.py"


def classes_with_tests(text: str) -> list[str]:
    """The classes of a claims module that hold at least one test."""
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef) and any(
        isinstance(member, ast.FunctionDef) and member.name.startswith("test_") for member in node.body)]


def without_claims(slugs: list[str], classes: list[str]) -> list[str]:
    """The questions that no class is named after. `TestAdamBiasCorrection` says nothing about a question `adam`."""
    names = {found.lower() for found in classes}
    return [slug for slug in slugs if "test" + slug.replace("-", "") not in names]


def test_every_topic_has_a_claims_module_and_every_question_a_class_in_it():
    missing = []
    for topic in (topic for level in SITE.levels for topic in level.topics):
        module = claims_module(topic.level, topic.slug)
        classes = classes_with_tests(module.read_text(encoding="utf-8")) if module.exists() else []
        missing += [f"{name(module)}: no class Test{slug.title().replace('-', '')} with a test"
                    for slug in without_claims([q.slug for q in topic.questions], classes)]
    assert not missing, report(missing)


@pytest.mark.parametrize(("slug", "classes", "proven"), [
    ("dataloader", ["TestDataloader"], True),
    ("dataloader", ["TestDataloaderArguments"], False),
    ("no-grad", ["TestNoGradVsRequiresGrad", "TestGrad"], False),
    ("no-grad", ["TestNoGradVsRequiresGrad", "TestNoGrad"], True),
    ("ddp", ["Testddp"], True),
    ("ddp", [], False),
])
def test_a_class_proves_the_question_that_has_its_whole_name(slug, classes, proven):
    assert without_claims([slug], classes) == ([] if proven else [slug])


def test_a_class_without_tests_proves_nothing():
    assert classes_with_tests("class TestA:\n    def test_it(self): pass\nclass TestB:\n    x = 1\n") == ["TestA"]


def test_no_claims_module_without_a_topic():
    topics = {(t.level, t.slug.replace("-", "_")) for level in SITE.levels for t in level.topics}
    for path in (ROOT / "tests" / "snippets").rglob("test_*.py"):
        assert (path.parent.name, path.stem.removeprefix("test_")) in topics, f"{name(path)} belongs to no topic"


@pytest.mark.parametrize("path", SNIPPETS, ids=name)
def test_snippet_with_functions_is_imported_by_its_claims(path):
    text = path.read_text(encoding="utf-8")
    if 'if __name__ == "__main__":' not in text or not re.search(r"^(?:def|class) ", text, flags=re.M):
        return  # a plain script: its output is its claim
    level, topic = path.parts[-3:-1]
    module = claims_module(level, topic)
    assert path.relative_to(pages.SNIPPETS).as_posix() in module.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", MARKDOWN, ids=name)
def test_fences_are_spelled_so_that_they_are_run_or_plainly_not(path):
    # pytest-codeblocks runs ```python, ```sh and ```bash only: any other spelling of Python would never run.
    for line in markdown.lines(path.read_text(encoding="utf-8")):
        language, _, options = line.fence.info.partition(" ") if line.opens else ("", "", "")
        if language.lower() in {"py", "python3", "pycon", "ipython"}:
            pytest.fail(f"{name(path)}:{line.number}: write ```python, or ```text for code that is not run")
        if language == "python" and options.strip():
            assert 'title="' in options, f"{name(path)}:{line.number}: a python fence with options would not run"


@pytest.mark.parametrize("path", sorted(pages.DOCS.rglob("*.svg")), ids=name)
def test_diagram_has_its_source_beside_it(path):
    if "assets" not in path.parts:
        assert path.with_suffix(".dot").exists()


def test_navigation_names_every_topic_in_the_order_of_the_site():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^      - ([a-z]+/[a-z0-9-]+)$", text, flags=re.M)
    assert sorted(listed) == sorted(f"{t.level}/{t.slug}" for level in SITE.levels for t in level.topics)
    assert nav.topic_order([{"Junior": listed}]) == listed


def test_recorded_torch_is_the_pinned_one():
    pins = re.findall(r"^torch==(\S+)$", (ROOT / "requirements-test.txt").read_text(), flags=re.M)
    assert len(pins) == 1
