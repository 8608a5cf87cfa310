"""What the build says about mistakes, and that it is the same wherever it runs."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from warmup import pages
from warmup.problems import ROOT
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
    (PAGE, "zero_grad.py\"\n--8<-- \"junior/autograd/zero_grad.py", "zero_grad.py\"\n--8<-- \"junior/autograd/gone.py",
     rf"{PAGE}:\d+: The snippet snippets/junior/autograd/gone\.py does not exist"),
    (PAGE, "](https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer", "](gone.md#", r"gone\.md"),
    ("mkdocs.yml", "      - junior/saving\n", "", r"mkdocs\.yml: nav does not name the topic junior/saving"),
    ("docs/questions.md", "<!-- warmup:filter -->", "<!-- warmup:fliter -->", r"Unknown marker warmup:fliter"),
    (PUZZLE, "variant: item", "variant: gone", rf"{PUZZLE}:\d+: The variant .*__gone\.py does not exist"),
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
    code = ("import sys; sys.modules['torch'] = None; sys.argv = ['mkdocs', 'build', '-q', '-d', sys.argv[1]];"
            "from mkdocs.__main__ import cli; cli()")
    result = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")], cwd=ROOT,
                            capture_output=True, text=True, check=False)
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
            for p in sorted(folder.rglob("*")) if p.suffix in (".html", ".json", ".css", ".js", ".py")
        }

    assert build(tmp_path / "again", ROOT, "--strict").returncode == 0
    assert digest(tmp_path / "again") == digest(site)


def test_every_snippet_can_be_downloaded_whole(site):
    found = pages.load()
    for name in (*found.snippets, *(puzzle.program for puzzle in found.puzzles)):
        assert (site / "snippets" / name).read_bytes() == (pages.SNIPPETS / name).read_bytes()


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


def test_serve_rebuilds_a_page_and_what_embeds_an_edited_snippet(project_copy):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # A theme folder outside the project's own copy would be watched too: the copy is complete.
    server = subprocess.Popen(
        [sys.executable, "-m", "mkdocs", "serve", "--dirty", "--dev-addr", f"127.0.0.1:{port}"],
        cwd=project_copy, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    page = f"http://127.0.0.1:{port}/junior/autograd/zero-grad/"
    try:
        assert wait_for(page, "zero_grad", 60), server.poll()
        edit(project_copy / PAGE, "never overwrites it", "never replaces it")
        assert wait_for(page, "never replaces it", 30)
        for derived in ("practice/cards.json", "junior/autograd/zero-grad.md", "questions.json", "junior/print/"):
            assert "never replaces it" in fetch(f"http://127.0.0.1:{port}/{derived}"), derived
        edit(project_copy / SNIPPET, "steps: int = 20", "steps: int = 21")
        assert wait_for(page, "21", 30)
        (project_copy / SNIPPET.replace(".py", ".out")).write_text("output of another run\n")
        assert wait_for(page, "output of another run", 30)
        edit(project_copy / PAGE, "minutes: 2", "minutes: 4")
        assert wait_for(f"http://127.0.0.1:{port}/questions/", "4 min", 30)
        index = json.loads(fetch(f"http://127.0.0.1:{port}/search/search_index.json"))
        assert any("never replaces it" in entry["text"] for entry in index["docs"])
    finally:
        server.terminate()
        server.communicate(timeout=20)
