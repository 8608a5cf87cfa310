"""What the build says about mistakes, and that it is the same wherever it runs."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from warmup.kinds import levels
from warmup.project import SNIPPETS
from warmup.testing import below_its_label
from warmup.testing import build_site as build

PAGE = "docs/junior/autograd/thing.md"
OTHER = "docs/junior/autograd/other.md"
TYPES = "docs/mid/autograd/thing.md"
PUZZLE = "docs/practice/predict/add-two.md"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


MISTAKES = [
    (PAGE, "kind: concept", "kind: riddle", rf"{PAGE}:3: Unknown kind 'riddle'"),
    (OTHER, "---\ntitle", "title", rf"{OTHER}:1: The front matter is missing"),
    (
        PAGE,
        '"junior/autograd/thing.py',
        '"junior/autograd/gone.py',
        rf"{PAGE}:\d+: The snippet snippets/junior/autograd/gone\.py does not exist",
    ),
    (TYPES, "](../../junior/autograd/thing.md", "](gone.md#", r"gone\.md"),
    (PAGE, "    Because.", "Because.", rf"{PAGE}:30: This fold has no answer\."),
    (PAGE, "**Weak**: a word", "**Weak**:", rf"{PAGE}:48: This grade says nothing\."),
    ("mkdocs.yml", "      - mid/autograd\n", "", r"mkdocs\.yml: nav does not name the topic mid/autograd"),
    ("docs/questions.md", "<!-- warmup:filter -->", "<!-- warmup:fliter -->", r"Unknown marker warmup:fliter"),
    (PUZZLE, "variant: minus", "variant: gone", rf"{PUZZLE}:\d+: The variant .*__gone\.py does not exist"),
    (TYPES, "tags: [", "tags: [2, ", rf"{TYPES}:\d+: tags holds 2, which is not a text\. Put it into quotes\."),
    (TYPES, "minutes: ", "minutes: !!str ", rf"{TYPES}:\d+: minutes is not a whole number above zero\."),
    (TYPES, "title: ", "title: [a]\nsearch: ", rf"{TYPES}:2: title is not a text\."),
    (TYPES, "related:", "related: a/b/c\nasked:", rf"{TYPES}:\d+: related is not a list\."),
    (
        "docs/mid/autograd/index.md",
        "order: ",
        "order: thing # ",
        r"docs/mid/autograd/index\.md:\d+: order is not a list\.",
    ),
]


def test_the_sample_has_no_problem(project_copy):
    assert check(project_copy).stdout == "4 questions, 11 snippets, 0 problems\n"


def test_each_mistake_fails_the_strict_build_and_names_the_file(project_copy, tmp_path):
    for file, old, new, _ in MISTAKES:
        edit(project_copy / file, old, new)
    (project_copy / "snippets/junior/autograd/orphan.py").write_text("print(1)\n")
    result = build(tmp_path / "out", project_copy, "--strict")
    assert result.returncode != 0
    for *_, message in MISTAKES:
        assert re.search(f"WARNING.*{message}", result.stderr), f"{message}\n{result.stderr}"
    assert "WARNING -  snippets/junior/autograd/orphan.py: No page shows this snippet." in result.stderr
    assert "Traceback" not in result.stderr


def check(project: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "warmup", "check"],
        cwd=project,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(project / "scripts")},
        check=False,
    )


def test_lint_lists_every_problem_in_one_run(project_copy):
    for file, old, new, _ in (mistake for mistake in MISTAKES if re.match("docs/.*[0-9+]:|mkdocs", mistake[3])):
        edit(project_copy / file, old, new)
    snippets = project_copy / "snippets/junior/autograd"
    broken = {
        "thing.py": (
            "# /// script\n# dependencies = [\n# ///\n",
            r"[23]: The header is not TOML: .*\. Correct the TOML between",
        ),
        "a.py": ("# /// script\n# needs = 1\n# ///\n", "2: The script block has an unknown key, 'needs'. Known: "),
        "b.py": ("x = 1\nx = = 2\n", "2: It is not Python: invalid syntax. Fix what"),
        "c.py": ("x = 1\nimport pandas\n", "2: It imports pandas, which its header does not declare. Add"),
        "n.py": ("import numpy\n", "1: It imports numpy, which its header does not declare. Add"),
        "d.py": ("x = '\0'\n", ".*It is not Python: source code .*null bytes"),
    }
    for name, (text, _) in broken.items():
        (snippets / name).write_text(text)
    (snippets / "e.py").write_bytes(b"\xff\n")
    retired = "senior/mixed-precision/grad{}scaler"
    for file, text in {
        f"docs/{retired.format('-')}.md": f'title: T\n---\n--8<-- "{retired.format("_")}.py"\n',
        f"snippets/{retired.format('_')}.py": "torch.cuda.amp.GradScaler()\n",
    }.items():
        (project_copy / file).parent.mkdir(parents=True)
        (project_copy / file).write_text(text)
    done = check(project_copy)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr, done.stderr
    for name, (_, message) in broken.items():
        assert re.search(f"^snippets/junior/autograd/{name}:{message}", done.stderr, re.M), f"{message}\n{done.stderr}"
    for *_, message in (mistake for mistake in MISTAKES if re.match("docs/.*[0-9+]:|mkdocs", mistake[3])):
        assert re.search(f"^{message}", done.stderr, re.M), f"{message}\n{done.stderr}"
    assert "snippets/junior/autograd/e.py:1: It is not text in UTF-8. Save it" in done.stderr
    assert "docs/senior/mixed-precision/grad-scaler.md:1: The front matter is missing. Begin" in done.stderr
    assert done.stderr.count("It is not Python") == 2, done.stderr
    # What the page about a retired name shows may use it, even while the page cannot be read.
    assert "is retired" not in done.stderr
    count = len(done.stderr.splitlines())
    assert re.search(rf"snippets, {count} problems$", done.stdout.strip()), done.stdout


def test_lint_lists_the_other_problems_when_mkdocs_yml_is_broken(project_copy):
    edit(project_copy / "mkdocs.yml", "site_name: Torch", "site_name: a: b")
    edit(project_copy / PAGE, "kind: concept", "kind: riddle")
    done = check(project_copy)
    wanted = r"^mkdocs\.yml:3: It is not YAML: mapping values are not allowed"
    assert re.search(wanted, done.stderr, flags=re.M), done.stderr
    assert f"{PAGE}:3: Unknown kind 'riddle'" in done.stderr
    assert done.stdout.endswith(" 2 problems\n")


def test_a_formula_that_does_not_convert_stops_the_build_and_names_the_page(project_copy, tmp_path):
    edit(project_copy / OTHER, r"\(g_t\)", r"\(\nosuchcommand\)")
    result = build(tmp_path / "out", project_copy, "--strict")
    assert result.returncode != 0
    assert re.search(r"other\.md: The formula '\\\\nosuchcommand' does not convert", result.stderr), result.stderr
    assert "Traceback" not in result.stderr


def test_an_output_shows_on_its_page(project_copy, tmp_path):
    (project_copy / "snippets/junior/autograd/thing.out").write_text("a line that no run printed\n")
    assert build(tmp_path / "out", project_copy).returncode == 0
    assert "a line that no run printed" in (tmp_path / "out/junior/autograd/thing/index.html").read_text()


def test_the_build_needs_no_torch_and_without_a_host_no_page_names_one(project_copy, tmp_path):
    code = (
        "import sys; sys.modules['torch'] = None; sys.argv = ['mkdocs', 'build', '-q', '-d', sys.argv[1]];"
        "from mkdocs.__main__ import cli; cli()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "out")],
        cwd=project_copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    text = (tmp_path / "out/junior/autograd/thing/index.html").read_text()
    assert "Edit this page" not in text
    assert 'rel="canonical"' not in text
    assert not [*(tmp_path / "out").glob("sitemap.xml*")], "A sitemap without addresses is empty."


def test_with_a_host_edit_links_and_canonical_addresses_point_there(sample_site):
    text = (sample_site / "junior/autograd/thing/index.html").read_text()
    assert "https://example.com/torch-warmup.git-host/edit/main/docs/junior/autograd/thing.md" in text
    assert 'rel="canonical" href="https://example.com/torch-warmup/junior/autograd/thing/"' in text


def test_two_builds_are_the_same_to_the_byte(sample_site, project_copy, tmp_path):
    def digest(folder):
        return {
            p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(folder.rglob("*"))
            if p.suffix in (".html", ".json", ".css", ".js", ".py", ".md", ".ipynb")
        }

    assert build(tmp_path / "again", project_copy, "--strict").returncode == 0
    assert digest(tmp_path / "again") == digest(sample_site)


def test_the_published_site_has_nothing_that_runs_programs_on_the_readers_machine(sample_site, project_copy, tmp_path):
    words = ("data-program", "assets/live", "tw-run", "torch-warmup-live", "/api/kernels")

    def traces(folder):
        text = "\n".join(p.read_text() for p in sorted(folder.rglob("*")) if p.suffix in (".html", ".css", ".js"))
        return [word for word in words if word in text]

    assert traces(sample_site) == [] and not (sample_site / "assets/live").exists()
    with mock.patch.dict(os.environ, LIVE="1"):
        assert build(tmp_path / "live", project_copy, "--strict").returncode == 0
    assert traces(tmp_path / "live") == list(words)


def test_without_all_files_for_browsers_the_site_has_not_a_byte_of_them(sample_site, project_copy, tmp_path):
    (project_copy / "build/wasm/files").mkdir(parents=True)
    (project_copy / "build/wasm/files.json").write_text("{}")
    (project_copy / "build/wasm/programs.json").write_text('{"release": "", "torch": "", "programs": {}, "judges": {}}')
    with mock.patch.dict(os.environ, WASM="build/wasm"):
        assert build(tmp_path / "out", project_copy, "--strict").returncode == 0

    def digests(folder):
        # The map of the site is compressed with the time of the build.
        files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix not in (".gz", ".apkg")]
        return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    assert digests(tmp_path / "out") == digests(sample_site)
    assert not re.search("wasm|pyodide|assets/programs", "\n".join(digests(sample_site)))
    for path in sample_site.rglob("*.html"):
        assert not re.search("tw-wasm|data-record|assets/(wasm|pyodide|programs)", path.read_text()), path


def test_every_snippet_can_be_downloaded_whole(site):
    found = levels.load()
    for name in (*found.snippets, *(puzzle.program for puzzle in found.puzzles)):
        assert below_its_label((site / "snippets" / name).read_text("utf-8")) == (SNIPPETS / name).read_text("utf-8"), (
            name
        )


@pytest.mark.parametrize("name", ["junior/autograd/thing.md", "about/verified.md", "labs/square.ipynb"])
def test_one_page_alone_looks_as_on_the_whole_site(sample_site, project_copy, tmp_path, monkeypatch, name):
    monkeypatch.setenv("ONLY", name)
    done = build(tmp_path / "one", project_copy, "--dirty")
    assert done.returncode == 0, done.stderr
    page = Path(name).with_suffix("") / "index.html"
    assert list((tmp_path / "one").rglob("index.html")) == [tmp_path / "one" / page]
    assert (tmp_path / "one" / page).read_text() == (sample_site / page).read_text()


def test_a_build_without_a_change_has_nothing_to_do_and_one_after_a_change_has(project_copy, tmp_path):
    page = tmp_path / "out/junior/autograd/thing/index.html"

    def again() -> bool:
        """Whether a build writes the page once more."""
        before = page.stat().st_mtime_ns if page.exists() else 0
        result = build(tmp_path / "out", project_copy, "--strict")
        assert result.returncode == 0, result.stderr
        assert ("Nothing has changed" in result.stderr) == (page.stat().st_mtime_ns == before)
        return page.stat().st_mtime_ns != before

    assert [again(), again()] == [True, False]
    edit(project_copy / PAGE, "The thing is the answer.", "A second answer is here.")
    assert [again(), again()] == [True, False]
    assert "A second answer is here." in page.read_text()
    page.write_text("touched")
    assert [again(), again()] == [True, False]
    assert build(tmp_path / "out", project_copy).returncode == 0  # without --strict, warnings are to be seen again
    assert again()
