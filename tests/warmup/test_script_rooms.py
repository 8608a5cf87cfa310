"""The rooms of the site's scripts: imports point one way, never in a circle, and no file is too long."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from warmup.project import ROOT
from warmup.testing import circle

SCRIPTS = ROOT / "docs" / "assets" / "javascripts"
LONGEST = 300
# Each folder, and those whose scripts its own may import. Those at the top and in practice/ belong to one page each:
# they may import from all folders, and nobody imports them.
ARROWS = {
    "shared": set(),
    "search": {"shared"},
    "practice/shared": {"shared"},
    "practice/flashcards": {"shared", "practice/shared"},
    "practice/predict": {"shared", "practice/shared"},
    "practice/overview": {"shared", "practice/shared"},
    "practice/mock": {"shared", "practice/shared"},
    "practice/interview-kit": {"shared", "practice/shared", "practice/mock"},
    "practice/daily": {"shared", "practice/shared", "practice/flashcards", "practice/predict", "practice/mock"},
}
PAGES = ("", "practice")
_IMPORT = re.compile(r"""(?:^import\b[^"']*|\bfrom\s*|\bimport\()["'](?P<path>\.[^"']+)["']""", re.M)


def imports(scripts: Path) -> dict[str, set[str]]:
    """The scripts below a folder, and those that each imports, also on demand."""
    found = {}
    for path in sorted(scripts.rglob("*.js")):
        name = path.relative_to(scripts).as_posix()
        text = path.read_text(encoding="utf-8")
        found[name] = {posixpath.normpath(posixpath.join(name, "..", one["path"])) for one in _IMPORT.finditer(text)}
    return found


def wrong_arrows(graph: dict[str, set[str]]) -> list[str]:
    found = []
    for script, others in graph.items():
        folder = posixpath.dirname(script)
        may = ARROWS.keys() if folder in PAGES else {folder, *ARROWS[folder]}
        found += [f"{script} imports {other}." for other in sorted(others) if posixpath.dirname(other) not in may]
    return found


def test_imports_point_one_way():
    assert not (wrong := wrong_arrows(imports(SCRIPTS))), "\n".join(wrong)


def test_no_scripts_import_each_other():
    assert not (found := circle(imports(SCRIPTS))), found


def test_every_import_is_there():
    graph = imports(SCRIPTS)
    assert not {other for others in graph.values() for other in others} - graph.keys()


@pytest.mark.parametrize("path", sorted(SCRIPTS.rglob("*.js")), ids=lambda path: path.relative_to(SCRIPTS).as_posix())
def test_no_script_is_too_long_to_be_read_at_once(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize(
    ("script", "text", "wrong", "circles"),
    [
        ("practice/mock/a.js", 'import { x } from "../../shared/b.js"', False, False),
        ("practice/a.js", 'import { x } from "./mock/c.js"', False, False),
        ("shared/b.js", 'import {\n  x,\n} from "../practice/mock/c.js"', True, False),
        ("shared/b.js", 'const x = await import("../practice/mock/c.js")', True, False),
        ("practice/flashcards/a.js", 'import "../mock/c.js"', True, False),
        ("practice/mock/a.js", 'import { x } from "../page.js"', True, False),
        ("practice/mock/c.js", 'import { x } from "./d.js"', False, True),
    ],
)
def test_a_wrong_import_is_found(tmp_path, script, text, wrong, circles):
    files = {"practice/mock/d.js": 'import { y } from "./c.js"', "practice/mock/c.js": "", "shared/b.js": ""}
    for name, content in (files | {script: text}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    graph = imports(tmp_path)
    assert bool(wrong_arrows(graph)) is wrong
    assert bool(circle(graph)) is circles
