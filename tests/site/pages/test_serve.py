"""`make serve` shows what was edited, wherever it shows, and says what needs a restart."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

PAGE = "docs/junior/autograd/other.md"
SNIPPET = "snippets/junior/autograd/other.py"
# Seconds that a busy machine may need for the first build, and for another one.
FIRST, NEXT = 180, 90


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


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
        assert wait_for(f"{address}about/embeds/", "steps: int = 20", FIRST), log.read_text()
        edit(project_copy / SNIPPET, "steps: int = 20", "steps: int = 21")
        assert wait_for(f"{address}about/embeds/", "steps: int = 21", NEXT), log.read_text()
        edit(project_copy / PAGE, "The sum is zero", "A sum that is new here")
        assert wait_for(f"{address}about/derived/", "A sum that is new here", NEXT), log.read_text()
        assert "still runs the code" not in log.read_text()
        edit(project_copy / "scripts/warmup/vocabulary.py", '"Concept"', '"Idea"')
        end = time.monotonic() + NEXT
        while "still runs the code" not in log.read_text() and time.monotonic() < end:
            time.sleep(0.1)
        assert (
            "WARNING -  scripts/warmup/vocabulary.py: Edited, but this server still runs the code it was started with. "
            "Stop it with Ctrl+C and run make serve again."
        ) in log.read_text()


def test_serve_rebuilds_a_page_and_what_embeds_an_edited_snippet(project_copy, tmp_path):
    with served(project_copy, tmp_path / "log") as address:
        page = f"{address}junior/autograd/other/"
        assert wait_for(page, "other.py", FIRST), (tmp_path / "log").read_text()
        edit(project_copy / PAGE, "There is another one", "There is one more")
        assert wait_for(page, "There is one more", NEXT)
        for derived in ("practice/cards.json", "junior/autograd/other.md", "questions.json"):
            assert "There is one more" in fetch(address + derived), derived
        # For what nobody looks at while they edit, an edit does not wait.
        assert wait_for(f"{address}junior/print/", "There is one more", NEXT)
        edit(project_copy / SNIPPET, "steps: int = 20", "steps: int = 7531")
        assert wait_for(page, "7531", NEXT)
        (project_copy / SNIPPET.replace(".py", ".out")).write_text("output of another run\n")
        assert wait_for(page, "output of another run", NEXT)
        edit(project_copy / PAGE, "minutes: 3", "minutes: 4")
        assert wait_for(f"{address}questions/", "4 min", NEXT)
        assert "There is one more" in fetch(f"{address}search/said-0.json")
