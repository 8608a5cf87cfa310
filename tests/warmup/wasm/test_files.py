"""The files that browsers need: fetched only with their hashes, and published all or not at all."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import io
import json
import re
import tarfile
import time
from pathlib import Path

import pytest

from warmup.content import outputs
from warmup.project import SNIPPETS, ProblemError
from warmup.wasm import command, files, pins, publication, trial
from warmup.wasm.pins import Pin, Pins


def tarball(path: Path) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name in (*files.RUNTIME, files.LOCK, "console.html"):
            content = json.dumps({"info": {"abi_version": "1"}, "packages": {"all": {}}}).encode()
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


@pytest.fixture
def wanted(tmp_path, monkeypatch) -> Pins:
    """A runtime and a wheel that can be had, both checked; ``wasm.json`` says the same."""
    runtime = tarball(tmp_path / "runtime-1.tgz")
    wheel = tmp_path / "a+b-1-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    sha512 = hashlib.sha512(runtime.read_bytes())
    content = {
        "runtime": {
            "name": "runtime",
            "version": "1",
            "url": runtime.as_uri(),
            "sha512": base64.b64encode(sha512.digest()).decode(),
        },
        "packages": [
            {
                "name": "ab",
                "version": "1",
                "url": wheel.as_uri().replace("+", "%2B"),
                "sha256": hashlib.sha256(b"wheel").hexdigest(),
                "depends": [],
                "imports": ["ab"],
            }
        ],
        "prepared": ["ab"],
    }
    (tmp_path / "wasm.json").write_text(json.dumps(content))
    found = pins.read(tmp_path / "wasm.json")
    assert found.runtime.digest == sha512.hexdigest()
    monkeypatch.setattr(pins, "read", lambda: found)
    return found


def without(wanted: Pins, **changes) -> Pins:
    return dataclasses.replace(wanted, packages=(dataclasses.replace(wanted.packages[0], **changes),))


def test_the_projects_own_list_is_whole():
    own = pins.read()
    assert [pin.name for pin in own.packages] == ["torch", "numpy", "sympy", "mpmath", "typing-extensions"]
    assert {pin.algorithm: len(pin.digest) for pin in (*own.packages, own.runtime)} == {"sha256": 64, "sha512": 128}
    assert all(pin.url.startswith(("https://", pins.NPM, pins.PYPI)) for pin in (own.runtime, *own.packages))
    torch = own.packages[0]
    assert torch.file == "torch-2.13.0+pyodide314.0.2-cp314-cp314-pyemscripten_2026_0_wasm32.whl"
    assert {name for pin in own.packages for name in pin.depends} <= {pin.name for pin in own.packages}
    assert own.problems() == []
    # What nobody but its makers has built is taken from their build only.
    assert {pin.name: pin.attested for pin in own.packages if pin.attested} == {"torch": "mmtftr/pyodide-pytorch"}


def test_what_is_right_is_laid_out_with_a_lock_of_only_that(wanted, tmp_path):
    folder = tmp_path / "wasm"
    paths, problems = files.fetch(wanted, folder)
    assert [path.name for path in paths] == ["runtime-1.tgz", "a+b-1-py3-none-any.whl"] and problems == []
    assert files.check(wanted, folder) == []
    published = {path.name for path in (folder / "files").iterdir()}
    assert published == {
        *files.RUNTIME, files.LOCK, files.TOOLS, "a+b-1-py3-none-any.whl", "worker.js", "python.js"
    }  # fmt: skip
    lock = json.loads((folder / "files" / files.LOCK).read_text())
    assert lock["info"] == {"abi_version": "1"} and list(lock["packages"]) == ["ab"]
    assert lock["packages"]["ab"]["sha256"] == hashlib.sha256(b"wheel").hexdigest()
    manifest = json.loads((folder / files.MANIFEST).read_text())
    assert manifest.keys() == published and manifest["a+b-1-py3-none-any.whl"]["bytes"] == 5


def test_what_is_there_is_not_fetched_again(wanted, tmp_path):
    files.fetch(wanted, tmp_path / "wasm")
    Path(tmp_path / "a+b-1-py3-none-any.whl").unlink()
    assert files.fetch(wanted, tmp_path / "wasm")[1] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"digest": "0" * 64}, "Its sha256 is .* and not the one in wasm.json. Nothing is published."),
        ({"digest": ""}, "ab has no hash in wasm.json"),
        ({"url": "file:///no/such/file.whl"}, "It cannot be had: .*No such file"),
        ({"url": "http://127.0.0.1:9/a.whl"}, "It cannot be had: .*refused"),
        ({"url": "pkg:npm/ab@1"}, "It cannot be had: .*npm"),
        ({"url": "pkg:pypi/ab@1", "version": "no version"}, "It cannot be had: .*pip"),
    ],
)
def test_what_is_wrong_is_not_kept(wanted, tmp_path, monkeypatch, change, said):
    monkeypatch.setenv("PATH", str(tmp_path))  # on which is no npm
    _, [problem] = files.fetch(without(wanted, **change), tmp_path / "wasm")
    assert re.search(said, str(problem))
    assert [path.name for path in (tmp_path / "wasm/download").iterdir()] == ["runtime-1.tgz"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"digest": ""}, "ab has no hash."),
        ({"attested": "who/where"}, "That who/where built it was not verified."),
        ({"digest": "0" * 64}, "It is not the ab whose hash stands in wasm.json."),
        ({"url": "file:///other.whl"}, "It is missing."),
    ],
)
def test_an_incomplete_list_publishes_nothing(wanted, tmp_path, change, said):
    folder = tmp_path / "wasm"
    files.fetch(wanted, folder)
    assert files.check(wanted, folder) == [] and (folder / "files").exists()
    problems = files.check(without(wanted, **change), folder)
    assert [said in str(problem) for problem in problems] == [True]
    assert not (folder / "files").exists() and not (folder / files.MANIFEST).exists()


def test_the_command_says_what_is_wrong_and_fails(wanted, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(files, "FOLDER", tmp_path / "wasm")
    monkeypatch.setattr(files.check, "__defaults__", (tmp_path / "wasm",))
    assert command.main("check", []) == 1
    said = capsys.readouterr()
    assert "It is missing. Run: python -m warmup wasm fetch" in said.err and "Nothing is published." in said.out


def test_without_node_nothing_is_tried(wanted, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProblemError, match="Install Node 20"):
        trial.run(wanted, [], tmp_path)


@pytest.fixture
def tried(wanted, tmp_path) -> tuple[Path, Path]:
    """What was checked, with a program that passed; and the folder of programs."""
    folder, snippets = tmp_path / "wasm", tmp_path / "snippets"
    files.fetch(wanted, folder)
    files.check(wanted, folder)
    (snippets / "a").mkdir(parents=True)
    (snippets / "a/b.py").write_text("print(1)\n")
    (snippets / "a/b.out").write_text("1\n")
    release = files.integrity(folder / files.MANIFEST)
    programs = {"a/b.py": outputs.fingerprint("print(1)\n", "1\n")}
    (folder / "programs.json").write_text(
        json.dumps({"release": release, "torch": "", "programs": programs, "judges": {}})
    )
    return folder, snippets


def test_a_build_takes_what_was_tried(tried):
    folder, snippets = tried
    found = publication.read(folder, snippets)
    assert found.records == {"a/b.py": "1\n"} and found.release == files.integrity(folder / files.MANIFEST)
    assert found.paths.keys() == {path.name for path in (folder / "files").iterdir()} | {files.MANIFEST}
    assert found.bytes == sum(path.stat().st_size for path in (folder / "files").iterdir())


@pytest.mark.parametrize(
    "name",
    [
        "files/a+b-1-py3-none-any.whl",
        "files/pyodide.asm.wasm",
        "files/worker.js",
        "files/pyodide-lock.json",
        "files.json",
    ],
)
def test_a_build_takes_nothing_where_a_byte_is_another(tried, name):
    folder, snippets = tried
    file = folder / name
    file.write_bytes(file.read_bytes() + b" ")
    assert not publication.read(folder, snippets)
    file.unlink()
    assert not publication.read(folder, snippets)


def test_a_build_takes_nothing_that_wasm_json_does_not_have_now(tried, wanted, monkeypatch):
    folder, snippets = tried
    for change in ({"digest": "0" * 64}, {"attested": "who/where"}, {"url": "file:///other.whl"}):
        monkeypatch.setattr(pins, "read", lambda change=change: without(wanted, **change))
        assert not publication.read(folder, snippets)


@pytest.mark.parametrize(("name", "text"), [("b.py", "print(2)\n"), ("b.out", "2\n")])
def test_a_program_that_was_edited_since_has_no_button(tried, name, text):
    folder, snippets = tried
    (snippets / "a" / name).write_text(text)
    assert not publication.read(folder, snippets)


def test_a_program_whose_record_for_the_wheels_torch_was_edited_since_has_no_button(tried):
    folder, snippets = tried
    (snippets / "a/b.torch-before-2.14.out").write_text("0\n")
    programs = {"a/b.py": outputs.fingerprint("print(1)\n", "0\n")}
    content = json.loads((folder / "programs.json").read_text()) | {"torch": "2.13.0+pyodide", "programs": programs}
    (folder / "programs.json").write_text(json.dumps(content))
    assert publication.read(folder, snippets).records == {"a/b.py": "0\n"}
    (snippets / "a/b.torch-before-2.14.out").write_text("1\n")
    assert not publication.read(folder, snippets)


def test_what_was_good_in_time_is_listed(wanted, tmp_path, monkeypatch, capsys):
    names = ["junior/autograd/zero_grad", "junior/autograd/zero_grad_none"]
    paths = [SNIPPETS / f"{name}.py" for name in names]
    out = paths[0].with_suffix(".out").read_text()
    result = {"program": f"{names[0]}.py", "code": 0, "seconds": 1, "torch": "", "stdout": out}
    node = tmp_path / "bin/node"
    node.parent.mkdir()
    node.write_text(f"#!/bin/sh\nprintf '%s\\n' '{json.dumps(result)}'\nexec sleep 60\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", str(node.parent), prepend=":")
    monkeypatch.setattr(trial, "ALL", 0)
    files.fetch(wanted, tmp_path / "wasm")
    files.check(wanted, tmp_path / "wasm")
    begun = time.monotonic()
    assert trial.run(wanted, paths, tmp_path / "wasm") == 1 and time.monotonic() - begun < 30
    assert json.loads((tmp_path / "wasm/programs.json").read_text())["programs"].keys() == {f"{names[0]}.py"}
    assert f"not tried in time  {names[1]}\n" in capsys.readouterr().out
    tries = json.loads((tmp_path / "wasm/tried.json").read_text())
    assert [one["seconds"] for one in tries] == [trial.LONGEST] * 2


def test_programs_that_cannot_run_there_are_not_tried(wanted, tmp_path):
    programs = {
        "needs": '# /// script\n# [tool.warmup]\n# needs = "multiprocess"\n# ///\n',
        "other": '# /// script\n# dependencies = ["torch>=2.11", "scikit-learn>=1.5"]\n# ///\n',
        "unrecorded": "print(1)\n",
        "good": '# /// script\n# dependencies = ["torch>=2.11", "ab"]\n# ///\n',
    }
    for name, text in programs.items():
        (tmp_path / f"{name}.py").write_text(text)
        if name != "unrecorded":
            (tmp_path / f"{name}.out").write_text("1\n")
    found = trial.candidates(wanted, [tmp_path / f"{name}.py" for name in programs])
    assert {path.stem: why for path, why in found.items()} == {
        "needs": "needs multiprocess",
        "other": "needs scikit-learn",
        "unrecorded": "no output of it is recorded",
        "good": "",
    }


def test_only_declared_numbers_may_differ(tmp_path):
    path = tmp_path / "snippets/a.py"
    path.parent.mkdir()
    measured = '# /// script\n# [tool.warmup]\n# output = "measured"\n# tolerance = 0.1\n# ///\nprint(1)\n'

    def word(source: str, recorded: str, printed: str, code: int = 0) -> str:
        path.write_text(source)
        path.with_suffix(".out").write_text(recorded)
        return trial._word(path, {"code": code, "torch": "", "stdout": printed})

    assert word("print(1)\n", "1\n", "1\n") == "equal"
    assert word("print(1)\n", "1\n", "2\n") == "different"
    assert word("print(1)\n", "1\n", "1\n", 1) == "failed"
    recorded = outputs.written("a 100\n", measured, "a CPU", "2.13.0", "2026-11-22")
    assert word(measured, recorded, "a 105\n") == "measured"
    assert word(measured, recorded, "a 150\n") == "different"
    assert word(measured, recorded, "b 100\n") == "different"


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("https://e/x%2By.whl?z", "x+y.whl"),
        ("pkg:npm/a-b@1", "a-b-1.tgz"),
        ("pkg:pypi/a-b@1", "a_b-1-py3-none-any.whl"),
    ],
)
def test_a_pin_is_named_as_its_file(url, file):
    assert Pin("a-b", "1", url, "sha256", "").file == file


def test_a_package_url_names_what_its_entry_says():
    for pin in (pins.read().runtime, *pins.read().packages):
        if pin.url.startswith("pkg:"):
            assert pin.url.rpartition("/")[2] == f"{pin.name}@{pin.version}"
