"""What the build says about mistakes, and that it is the same wherever it runs."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from warmup.content import levels
from warmup.project import ROOT, SNIPPETS
from warmup.testing import build_site as build

PAGE = "docs/junior/autograd/zero-grad.md"
OTHER = "docs/junior/autograd/no-grad.md"
PUZZLE = "docs/practice/predict/swap-two-elements.md"
SNIPPET = "snippets/junior/autograd/zero_grad.py"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


MISTAKES = [
    (PAGE, "kind: concept", "kind: riddle", rf"{PAGE}:3: Unknown kind 'riddle'"),
    (OTHER, "---\ntitle", "title", rf"{OTHER}:1: The front matter is missing"),
    (
        PAGE,
        'zero_grad.py"\n--8<-- "junior/autograd/zero_grad.py',
        'zero_grad.py"\n--8<-- "junior/autograd/gone.py',
        rf"{PAGE}:\d+: The snippet snippets/junior/autograd/gone\.py does not exist",
    ),
    (PAGE, "](https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer", "](gone.md#", r"gone\.md"),
    ("mkdocs.yml", "      - junior/saving\n", "", r"mkdocs\.yml: nav does not name the topic junior/saving"),
    ("docs/questions.md", "<!-- warmup:filter -->", "<!-- warmup:fliter -->", r"Unknown marker warmup:fliter"),
    (PUZZLE, "variant: item", "variant: gone", rf"{PUZZLE}:\d+: The variant .*__gone\.py does not exist"),
    (
        "docs/junior/tensors/stack-vs-cat.md",
        "tags: [",
        "tags: [2, ",
        r"docs/junior/tensors/stack-vs-cat\.md:\d+: tags holds 2, which is not a text\. Put it into quotes\.",
    ),
    (
        "docs/junior/tensors/broadcasting.md",
        "minutes: ",
        "minutes: !!str ",
        r"docs/junior/tensors/broadcasting\.md:\d+: minutes is not a whole number above zero\.",
    ),
    (
        "docs/junior/tensors/cuda-vs-to.md",
        "title: ",
        "title: [a]\nsearch: ",
        r"docs/junior/tensors/cuda-vs-to\.md:2: title is not a text\.",
    ),
    (
        "docs/junior/modules/dropout.md",
        "related:",
        "related: a/b/c\nasked:",
        r"docs/junior/modules/dropout\.md:\d+: related is not a list\.",
    ),
    (
        "docs/junior/saving/index.md",
        "order: ",
        "order: save-and-load # ",
        r"docs/junior/saving/index\.md:\d+: order is not a list\.",
    ),
]


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


def test_lint_lists_every_problem_in_one_run(project_copy):
    for file, old, new, _ in (mistake for mistake in MISTAKES if re.match("docs/.*[0-9+]:|mkdocs", mistake[3])):
        edit(project_copy / file, old, new)
    snippets = project_copy / "snippets/junior/autograd"
    broken = {
        "zero_grad.py": (
            "# /// script\n# dependencies = [\n# ///\n",
            r"[23]: The header is not TOML: .*\. Correct the TOML between",
        ),
        "zero_grad_none.py": (
            "# /// script\n# needs = 1\n# ///\n",
            "2: Unknown key `needs` in the script block. Allowed",
        ),
        "zero_grad_broken.py": ("x = 1\nx = = 2\n", "2: It is not Python: invalid syntax. Mend what"),
        "no_grad.py": ("x = 1\nimport pandas\n", "2: It imports pandas, which its header does not declare. Add"),
        "eval_vs_no_grad.py": ("x = '\0'\n", ".*It is not Python: source code .*null bytes"),
    }
    for name, (text, _) in broken.items():
        (snippets / name).write_text(text)
    (snippets / "requires_grad.py").write_bytes(b"\xff\n")
    edit(project_copy / "docs/senior/mixed-precision/grad-scaler.md", "---\n", "")
    done = subprocess.run(
        [sys.executable, "-m", "warmup", "check"],
        cwd=project_copy,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(project_copy / "scripts")},
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr, done.stderr
    for name, (_, message) in broken.items():
        assert re.search(f"^snippets/junior/autograd/{name}:{message}", done.stderr, re.M), f"{message}\n{done.stderr}"
    assert "snippets/junior/autograd/requires_grad.py:1: It is not text in UTF-8. Save it" in done.stderr
    assert "docs/senior/mixed-precision/grad-scaler.md:1: The front matter is missing. Begin" in done.stderr
    assert f"{PAGE}:3: Unknown kind 'riddle'" in done.stderr
    assert "docs/junior/tensors/stack-vs-cat.md:4: tags holds 2" in done.stderr
    assert "mkdocs.yml: nav does not name the topic junior/saving" in done.stderr
    assert done.stderr.count("It is not Python") == 2, done.stderr
    # What the page about a retired name shows may use it, even while the page cannot be read.
    assert "is retired" not in done.stderr
    count = len(done.stderr.splitlines())
    assert re.search(rf"snippets, {count} problems$", done.stdout.strip()), done.stdout


def test_lint_lists_the_other_problems_when_mkdocs_yml_is_broken(project_copy):
    edit(project_copy / "mkdocs.yml", "site_name: Torch", "site_name: a: b")
    edit(project_copy / PAGE, "kind: concept", "kind: riddle")
    done = subprocess.run(
        [sys.executable, "-m", "warmup", "check"],
        cwd=project_copy,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(project_copy / "scripts")},
        check=False,
    )
    assert re.search(r"^mkdocs\.yml:3: It is not YAML: mapping values are not allowed", done.stderr), done.stderr
    assert f"{PAGE}:3: Unknown kind 'riddle'" in done.stderr
    assert done.stdout.endswith(" 2 problems\n")


def test_a_formula_that_does_not_convert_stops_the_build_and_names_the_page(project_copy, tmp_path):
    edit(project_copy / PAGE, r"\(g_t\)", r"\(\nosuchcommand\)")
    result = build(tmp_path / "out", project_copy, "--strict")
    assert result.returncode != 0
    assert re.search(r"zero-grad\.md: The formula '\\\\nosuchcommand' does not convert", result.stderr), result.stderr
    assert "Traceback" not in result.stderr


def test_an_output_shows_on_its_page(project_copy, tmp_path):
    (project_copy / SNIPPET.replace(".py", ".out")).write_text("a line that no run printed\n")
    assert build(tmp_path / "out", project_copy).returncode == 0
    assert "a line that no run printed" in (tmp_path / "out/junior/autograd/zero-grad/index.html").read_text()


def test_the_build_needs_no_torch_and_without_a_host_no_page_names_one(tmp_path):
    code = (
        "import sys; sys.modules['torch'] = None; sys.argv = ['mkdocs', 'build', '-q', '-d', sys.argv[1]];"
        "from mkdocs.__main__ import cli; cli()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "out")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    text = (tmp_path / "out/junior/autograd/zero-grad/index.html").read_text()
    assert "Edit this page" not in text
    assert 'rel="canonical"' not in text


def test_with_a_host_edit_links_and_canonical_addresses_point_there(site):
    text = (site / "junior/autograd/zero-grad/index.html").read_text()
    assert "https://example.com/torch-warmup.git-host/edit/main/docs/junior/autograd/zero-grad.md" in text
    assert 'rel="canonical" href="https://example.com/torch-warmup/junior/autograd/zero-grad/"' in text


def test_two_builds_are_the_same_to_the_byte(site, tmp_path, monkeypatch):
    def digest(folder):
        return {
            p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(folder.rglob("*"))
            if p.suffix in (".html", ".json", ".css", ".js", ".py")
        }

    assert build(tmp_path / "again", ROOT, "--strict").returncode == 0
    assert digest(tmp_path / "again") == digest(site)


def test_every_snippet_can_be_downloaded_whole(site):
    found = levels.load()
    for name in (*found.snippets, *(puzzle.program for puzzle in found.puzzles)):
        assert (site / "snippets" / name).read_bytes() == (SNIPPETS / name).read_bytes()


def fetch(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.read().decode()
    except OSError:
        return ""


def wait_for(url: str, text: str, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if text in fetch(url):
            return True
        time.sleep(0.1)
    return False


@contextlib.contextmanager
def served(project: Path, log: Path):
    """The address of a server of the project, which writes what it says into ``log``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with log.open("w") as console:
        # A theme folder outside the project's own copy would be watched too: the copy is complete.
        server = subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "serve", "--dirty", "--dev-addr", f"127.0.0.1:{port}"],
            cwd=project,
            stdout=subprocess.DEVNULL,
            stderr=console,
        )
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()
            server.wait(timeout=20)


def test_serve_rebuilds_new_derived_pages_and_says_when_the_tools_need_a_restart(project_copy, tmp_path):
    for name, text in (
        ("derived", "<!-- warmup:myths -->"),
        ("embeds", f'```text\n--8<-- "{SNIPPET.removeprefix("snippets/")}"\n```'),
    ):
        (project_copy / f"docs/about/{name}.md").write_text(f"---\ntitle: New\n---\n\n{text}\n")
    log = tmp_path / "log"
    with served(project_copy, log) as address:
        assert wait_for(f"{address}about/embeds/", "steps: int = 20", 60), log.read_text()
        edit(project_copy / SNIPPET, "steps: int = 20", "steps: int = 21")
        assert wait_for(f"{address}about/embeds/", "steps: int = 21", 30), log.read_text()
        edit(project_copy / OTHER, "## Myth\n", "## Myth\n\nA myth that is new here.\n")
        assert wait_for(f"{address}about/derived/", "A myth that is new here.", 30), log.read_text()
        assert "still runs the code" not in log.read_text()
        edit(project_copy / "scripts/warmup/site/blocks.py", '"tw-download"', '"tw-other"')
        end = time.monotonic() + 30
        while "still runs the code" not in log.read_text() and time.monotonic() < end:
            time.sleep(0.1)
        assert (
            "WARNING -  scripts/warmup/site/blocks.py: Edited, but this server still runs the code it was started "
            "with. Stop it with Ctrl+C and run make serve again."
        ) in log.read_text()


def test_serve_rebuilds_a_page_and_what_embeds_an_edited_snippet(project_copy, tmp_path):
    with served(project_copy, tmp_path / "log") as address:
        page = f"{address}junior/autograd/zero-grad/"
        assert wait_for(page, "zero_grad", 60), (tmp_path / "log").read_text()
        edit(project_copy / PAGE, "never overwrites it", "never replaces it")
        assert wait_for(page, "never replaces it", 30)
        for derived in ("practice/cards.json", "junior/autograd/zero-grad.md", "questions.json", "junior/print/"):
            assert "never replaces it" in fetch(address + derived), derived
        edit(project_copy / SNIPPET, "steps: int = 20", "steps: int = 21")
        assert wait_for(page, "21", 30)
        (project_copy / SNIPPET.replace(".py", ".out")).write_text("output of another run\n")
        assert wait_for(page, "output of another run", 30)
        edit(project_copy / PAGE, "minutes: 2", "minutes: 4")
        assert wait_for(f"{address}questions/", "4 min", 30)
        index = json.loads(fetch(f"{address}search/search_index.json"))
        assert any("never replaces it" in entry["text"] for entry in index["docs"])
