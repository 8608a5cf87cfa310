"""The rooms of the tools: imports point one way, never in a circle, and no file is too long to be read at once."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

from warmup.project import ROOT
from warmup.testing import circle

TOOLS = ROOT / "scripts" / "warmup"
LONGEST = 300
# Each room, and the rooms whose modules it may import. What is not named here may import all of them.
ARROWS = {
    "project": set(),
    "licenses": set(),
    "vocabulary": set(),
    "memory": set(),
    "content": set(),
    "kinds": {"content"},
    "checks": {"content", "kinds"},
    "site": {"content", "kinds", "checks", "wasm"},
    "exports": {"content", "kinds", "site"},
    "run": {"content", "kinds"},
    "live": {"content", "site", "run"},
    "wasm": {"content", "kinds", "run"},
}


def imports(tools: Path) -> dict[str, set[str]]:
    """The tools' modules, and those of the tools that each imports: also in functions, and for types alone."""
    paths = {".".join(path.relative_to(tools.parent).with_suffix("").parts): path for path in tools.rglob("*.py")}
    modules = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    found = {}
    for name, path in modules.items():
        names = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                package = name if path.stem == "__init__" else name.rpartition(".")[0]
                base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
                names |= {one if (one := f"{base}.{alias.name}") in modules else base for alias in node.names}
        found[name] = names & modules.keys()
    return found


def room(module: str) -> str:
    return f"{module}.".split(".")[1]


def wrong_arrows(graph: dict[str, set[str]]) -> list[str]:
    allowed = {name: may | {name, "project", "licenses", "vocabulary", "memory"} for name, may in ARROWS.items()}
    return [
        f"{module} imports {other}, but {room(module)} may need only {', '.join(sorted(allowed[room(module)]))}."
        for module, others in sorted(graph.items())
        for other in sorted(others)
        if room(other) not in allowed.get(room(module), {room(other)})
    ]


def long_files(folder: Path) -> list[str]:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sorted(folder.rglob("*.py"))}
    return [f"{path.relative_to(folder)} has {count} lines." for path, count in lengths.items() if count > LONGEST]


def test_imports_point_one_way():
    assert not (wrong := wrong_arrows(imports(TOOLS))), "\n".join(wrong)


def test_no_modules_import_each_other():
    assert not (found := circle(imports(TOOLS))), found


@pytest.mark.parametrize("folder", ["scripts", "tests/site", "tests/warmup"])
def test_no_file_is_too_long_to_be_read_at_once(folder):
    assert not (found := long_files(ROOT / folder)), "\n".join(found)


@pytest.mark.parametrize(
    ("module", "text", "wrong", "circles"),
    [
        ("content.page", "from warmup.project import ROOT\nfrom warmup import vocabulary", "", ""),
        ("content.page", "from warmup.site import nav", "warmup.content.page imports warmup.site.nav", ""),
        ("content.page", "def f():\n    import warmup.site.nav", "warmup.content.page imports warmup.site.nav", ""),
        ("checks.page", "from ..site.nav import x", "warmup.checks.page imports warmup.site.nav", ""),
        ("run.labs", "from warmup.checks import x", "warmup.run.labs imports warmup.checks", ""),
        ("vocabulary", "from warmup.content import x", "warmup.vocabulary imports warmup.content", ""),
        ("dev.bench", "from warmup.site import nav", "", ""),
        ("__main__", "from warmup.site import nav", "", ""),
        ("site.links", "from warmup.site import nav", "", "warmup.site.links imports warmup.site.nav imports"),
        ("site.links", "if TYPE_CHECKING:\n    from .nav import x", "", "warmup.site.links imports warmup.site.nav"),
    ],
)
def test_a_wrong_import_is_found_and_named(tmp_path, module, text, wrong, circles):
    files = {"site/nav.py": "from warmup.site import links", "site/links.py": "", "vocabulary.py": "", "project.py": ""}
    files |= {f"{name}/__init__.py": "" for name in ("content", "checks", "site")}
    for name, content in (files | {f"{module.replace('.', '/')}.py": text}).items():
        path = tmp_path / "warmup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    graph = imports(tmp_path / "warmup")
    found = wrong_arrows(graph)
    assert len(found) == bool(wrong) and all(wrong in one for one in found)
    assert circles in circle(graph) and bool(circle(graph)) is bool(circles)


def test_a_long_file_is_found_and_named(tmp_path):
    (tmp_path / "long.py").write_text("x = 1\n" * (LONGEST + 1))
    (tmp_path / "short.py").write_text("x = 1\n" * LONGEST)
    assert long_files(tmp_path) == ["long.py has 301 lines."]
