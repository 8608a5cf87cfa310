"""Claims that are missing, prove nothing or belong to no page, and functions that no claim tries.

Only who contributes needs to know: a build of the site does not ask.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator
from pathlib import Path

from warmup.content import outputs
from warmup.kinds import trainers
from warmup.kinds.levels import Site
from warmup.project import ROOT, Problem, relative


def module_of(page: str, root: Path = ROOT) -> Path:
    """Where the claims of a question or of a topic's index stand, ``level/topic/slug``: it has their name."""
    path = root / "tests" / "snippets" / f"{page}.py"
    return path.with_name(f"test_{path.name.replace('-', '_')}")


def problems(site: Site, root: Path = ROOT, only: Container[Path] | None = None) -> Iterator[Problem]:
    """Every problem of the claims of all questions, or of ``only`` some: of pages and snippets."""
    for question in site.questions:
        module = module_of(question.id, root)
        if only is not None and question.path not in only:
            continue
        if not module.is_file():
            yield Problem(relative(module), 0, "It does not exist.", f"{relative(question.path)} needs its claims.")
        elif not has_tests(_text(module)):
            fix = "Prove what the page says: class TestName with def test_named_as_the_claim(self)."
            yield Problem(relative(module), 0, "No class in it holds a test.", fix)
    pages = [*site.by_id, *(f"{topic.level}/{topic.slug}/index" for level in site.levels for topic in level.topics)]
    folder = root / "tests" / "snippets"
    for stray in sorted(set(folder.rglob("test_*.py")) - {module_of(page, root) for page in pages}):
        yield Problem(relative(stray), 0, "There is no page of this name.", "Rename it as its page, or delete it.")
    programs = outputs.programs(root / "snippets")
    yield from _untried([path for path in programs if only is None or path in only], root / "snippets", folder)


def has_tests(text: str) -> bool:
    """Whether a class of a claims module holds a test."""
    try:
        nodes = ast.parse(text).body
    except SyntaxError:
        return False
    return any(
        isinstance(member, ast.FunctionDef) and member.name.startswith("test_")
        for node in nodes
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test")
        for member in node.body
    )


def is_for_import(text: str) -> bool:
    """Whether a program has functions to copy; of a plain script, the output is the claim."""
    return 'if __name__ == "__main__":' in text and bool(re.search(r"^(?:def|class) ", text, flags=re.M))


def _untried(programs: Iterable[Path], snippets: Path, claims: Path) -> Iterator[Problem]:
    """Programs with functions that no claims module beside them loads."""
    told: dict[Path, str] = {}
    for path in programs:
        name = path.relative_to(snippets)
        # tests/trainers has those of trainers.
        if name.is_relative_to(trainers.FOLDER) or not is_for_import(_text(path)):
            continue
        folder = claims / name.parent
        if folder not in told:
            told[folder] = "\n".join(map(_text, sorted(folder.glob("test_*.py"))))
        if name.as_posix() not in told[folder]:
            fix = f'Prove what they do: load_snippet("{name.as_posix()}").'
            yield Problem(relative(path), 0, f"No module in {relative(folder)} tries its functions.", fix)


def _text(path: Path) -> str:
    """What a file holds; that it is not text in UTF-8 is reported elsewhere."""
    return path.read_text(encoding="utf-8", errors="replace")
