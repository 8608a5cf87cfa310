"""What a test depends on: programs, pages, what it opened, and the site that was served to it."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from warmup.green.digests import Files
from warmup.green.memory import Entry, State
from warmup.green.trace import Trace
from warmup.green.units import Units
from warmup.project import ROOT

UNITS = Units(Files(ROOT))


@pytest.mark.parametrize(
    ("module", "depends"),
    [
        ("tests/snippets/junior/autograd/test_zero_grad.py", {"snippets/junior/autograd"}),
        # It reads a page's text too.
        ("tests/snippets/mid/checkpoints/test_resume_exactly.py", {"docs/mid/checkpoints/resume-exactly.md"}),
        ("tests/trainers/test_memory_grows.py", {"snippets/practice/trainers/memory-grows"}),
        ("tests/trainers/test_memory_grows.py", {"snippets/practice/trainers/checking.py"}),
        ("tests/warmup/checks/test_tags.py", {"tests/sample", "scripts"}),
        ("tests/trainers/test_checking.py", {"snippets/practice/trainers/checking.py"}),
        ("tests/warmup/content/test_one_file.py", {"docs", "snippets"}),
        ("docs/junior/autograd/zero-grad.md", {"docs/junior/autograd/zero-grad.md"}),
    ],
)
def test_a_module_depends_on_what_it_proves(module, depends):
    unit = UNITS.whole(module)
    assert unit and depends | {module} <= set(unit.depends)
    assert all((ROOT / path).exists() for path in unit.depends)


@pytest.mark.parametrize(
    ("module", "parameter", "depends"),
    [
        ("tests/test_outputs.py", "junior/autograd/zero_grad", "snippets/junior/autograd/zero_grad.out"),
        ("tests/test_outputs.py", "practice/trainers/memory-grows/fixed", "snippets/practice/trainers/checking.py"),
        ("tests/write/test_judges.py", "causal-attention", "snippets/practice/write/causal-attention"),
        ("tests/write/test_judges.py", "causal-attention-unscaled", "snippets/practice/write/judging.py"),
        ("tests/trainers/test_trainers.py", "memory-grows", "docs/practice/trainers/memory-grows.md"),
        # Nothing says which one.
        ("tests/write/test_judges.py", "", "snippets"),
    ],
)
def test_a_test_of_one_program_depends_on_that_program(module, parameter, depends):
    assert UNITS.whole(module) is None
    unit = UNITS.single(module, f"{module}::test_it[{parameter}]", parameter)
    assert {depends, module} <= set(unit.depends)
    assert all((ROOT / path).exists() for path in unit.depends)


def test_an_output_depends_on_what_its_program_imports_from_beside_it(tmp_path):
    (tmp_path / "snippets").mkdir()
    for name, text in {
        "a.py": "import torch\nfrom b import x\n",
        "b.py": "import a\n",
        "a.out": "",
        "c.py": "",
    }.items():
        (tmp_path / "snippets" / name).write_text(text)
    found = Units(Files(tmp_path)).of_program("snippets/a.py")
    assert sorted(found) == ["snippets/a.out", "snippets/a.py", "snippets/b.py"]


@pytest.mark.parametrize(("name", "all_again"), [("snippets/practice/watching.py", True), ("snippets/a.py", False)])
def test_what_the_runner_counts_with_is_one_of_the_tools(tmp_path, name, all_again):
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text("x = 1\n")
    before = Units(Files(tmp_path)).tools
    path.write_text("x = 2\n")
    assert (Units(Files(tmp_path)).tools != before) == all_again


def known(files: Files, unit, entry: Entry, site: dict[str, str] | None) -> bool:
    return State(files, site).knows(entry, unit)


def test_a_test_of_the_site_depends_on_the_pages_that_were_served_to_it_and_on_all_front_matter(tmp_path):
    page = tmp_path / "docs/junior/one.md"
    for path in (page, tmp_path / "mkdocs.yml", tmp_path / "tests/site/test_a.py"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("---\ntitle: One\n---\n\nText.\n")
    site = {"one/index.html": "1", "two/index.html": "2", "assets/a.css": "3"}
    state = State(Files(tmp_path), site)
    unit = state.units.single("tests/site/test_a.py", "tests/site/test_a.py::test_it", "")
    opened = ("site:assets/", "site:one/index.html", "site:none.html")
    entry = Entry(state.of(unit, opened), opened, frozenset(), True)
    assert known(Files(tmp_path), unit, entry, site)
    assert known(Files(tmp_path), unit, entry, {**site, "two/index.html": "another"})
    for name in ("one/index.html", "assets/b.css", "none.html"):
        assert not known(Files(tmp_path), unit, entry, {**site, name: "another"})
    assert not known(Files(tmp_path), unit, entry, None), "the site could not be built"
    page.write_text("---\ntitle: One\n---\n\nAnother text.\n")
    assert known(Files(tmp_path), unit, entry, site), "what its page shows decides"
    page.write_text("---\ntitle: Another\n---\n\nText.\n")
    assert not known(Files(tmp_path), unit, entry, site)


def test_who_opened_a_file_is_the_fixture_or_the_test_whatever_thread_did_it(tmp_path):
    folder = tmp_path / "listed"
    folder.mkdir()
    files = {name: tmp_path / name for name in ("fixture", "main", "served", "after")}
    for file in files.values():
        file.touch()
    listening, trace = Trace._listening, Trace()
    trace.listen()
    try:
        with trace.owner("test"):
            with trace.owner("fixture"):
                files["fixture"].read_text()
                list(folder.iterdir())
            files["main"].read_text()
            thread = threading.Thread(target=files["served"].read_text)
            thread.start()
            thread.join()
            subprocess.run([sys.executable, "-c", "", folder], cwd=tmp_path, check=True)
        files["after"].read_text()  # nobody's
    finally:
        Trace._listening = listening
    seen = {f"{file}": name for name, file in files.items()}
    seen |= {f"{folder}/": "names in the folder", f"{folder}": "all in the folder", f"{tmp_path}": "all"}
    found = {owner: {seen[path] for path in paths & seen.keys()} for owner, paths in trace.by_owner.items()}
    assert found == {
        "fixture": {"fixture", "names in the folder"},
        "test": {"main", "served", "all in the folder", "all"},
    }


def test_who_listed_a_folder_depends_on_the_names_in_it_alone(tmp_path):
    (tmp_path / "docs/junior").mkdir(parents=True)
    page = tmp_path / "docs/junior/one.md"
    page.write_text("one")
    site = {"a/one.html": "1", "a/two.html": "2", "b.html": "3"}

    def state(opened: str) -> str:
        return State(Files(tmp_path), site)._opened(opened)

    before = {
        opened: state(opened) for opened in ("docs/", "docs/junior/", "docs", "site:/", "site:a/", "site:a", "site:")
    }
    page.write_text("another")
    site["a/one.html"] = "another"
    assert {opened for opened, digest in before.items() if state(opened) != digest} == {"docs", "site:a", "site:"}
    (tmp_path / "docs/junior/two.md").touch()
    site["a/three.html"] = ""
    changed = {opened for opened, digest in before.items() if state(opened) != digest}
    assert changed == {"docs", "docs/junior/", "site:a", "site:a/", "site:"}
