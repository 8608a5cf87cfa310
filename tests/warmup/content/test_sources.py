"""Programs that are made of others: listed, read, copied and run as if they were files."""

from __future__ import annotations

import pytest

from warmup.content import outputs, sources
from warmup.project import ProblemError
from warmup.run.runner import Runner
from warmup.wasm import judges

SNIPPETS, STILL = "snippets", "practice/trainers/stands-still"


@pytest.fixture
def folder(sample):
    return sample / SNIPPETS / STILL


@pytest.fixture
def fixed(folder):
    path = folder / "fixed.py"
    assert not path.exists()
    return path


def test_the_script_of_a_trainer_without_its_mistakes_is_made(folder, fixed):
    broken = (folder / "broken.py").read_text()
    assert sources.exists(fixed) and sources.is_made(fixed)
    assert sources.text(fixed) == judges.text(fixed) == broken.replace("place += 0", "place += 1") != broken
    assert sources.text(folder / "broken.py") == broken


def test_what_is_beside_no_broken_script_is_a_file_or_nothing(folder, tmp_path):
    assert not sources.exists(tmp_path / "fixed.py") and not sources.exists(folder / "other.py")
    (tmp_path / "fixed.py").write_text("x = 1\n")
    assert sources.exists(tmp_path / "fixed.py") and not sources.is_made(tmp_path / "fixed.py")
    assert sources.text(tmp_path / "fixed.py") == "x = 1\n"


def test_a_list_of_programs_has_it_once_in_its_place(sample, folder, fixed):
    names = [path.name for path in outputs.programs(sample / SNIPPETS, STILL)]
    assert names == ["broken.py", "curves.py", "extension.py", "fixed.py", "symptom.py"]
    fixed.write_text("")
    assert sources.below(folder).count(fixed) == 1


def test_what_cannot_be_made_says_which_mistake_does_not_fit(folder, fixed):
    (folder / "broken.py").write_text("place = 7\n")
    with pytest.raises(ProblemError, match=r"mistakes.yml:1: .*'place \+= 0' is not there. .*broken.py"):
        sources.text(fixed)


def test_a_copy_of_its_folder_has_it_as_a_file(folder, tmp_path):
    sources.copy(folder, tmp_path / "copy")
    names = {path.name for path in (tmp_path / "copy").iterdir()}
    assert names == {path.name for path in folder.glob("*.py")} | {"fixed.py"}
    assert (tmp_path / "copy/fixed.py").read_text() == sources.text(folder / "fixed.py")


def test_in_a_copy_a_reader_may_edit_each_program(folder, tmp_path):
    sources.copy(folder, tmp_path / "copy")
    for name in ("broken.py", "fixed.py"):
        program = tmp_path / "copy" / name
        program.write_text(f"print({name!r})\n")
        assert sources.text(program) == f"print({name!r})\n"
        assert sources.place(program, tmp_path / "another") == program


def test_it_runs_and_so_does_what_loads_it(folder, fixed):
    loads = "import runpy\nfrom pathlib import Path\n"
    loads += "print(runpy.run_path(str(Path(__file__).with_name('fixed.py')))['train'](2))\n"
    (folder / "curves.py").write_text(loads)
    with Runner(imports=[]) as runner:
        results = [runner.run(path) for path in (fixed, folder / "curves.py")]
        assert [(one.path, one.status, one.stdout) for one in results] == [
            (fixed, "ok", "3\n"),
            (folder / "curves.py", "ok", "2\n"),
        ]
        (folder / "mistakes.yml").write_text("x")
        assert "It is no list of mistakes." in runner.run(fixed).message
        found = runner.run(folder / "curves.py")
    assert found.status == "failed" and "cannot be run: " in found.message and "no list of mistakes" in found.message
