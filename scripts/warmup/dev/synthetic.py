"""A copy of the project that has grown: its own questions and puzzles, repeated until there are as many as wanted.

No copy is the same as another, on the page or in code: what the tools keep by content must not make copies cheap.
Only compression profits from what copies share: sizes in bytes are those of a site whose pages repeat each other.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
from pathlib import Path

import yaml

from warmup.checks import claims, retired
from warmup.content import confirmed, markdown, outputs
from warmup.kinds import levels, sheets
from warmup.kinds.puzzles import FOLDER
from warmup.project import ROOT


def grown(root: Path, count: int) -> Path:
    """Write a project of ``count`` questions, or of all there are if they are more.

    Args:
        root: the folder to write; it must not exist.
        count: questions.

    Returns:
        ``root``.
    """
    root.mkdir(parents=True)
    for name in ("docs", "snippets", "scripts", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("mkdocs.yml", "requirements-test.txt", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, root / name)
    (root / "snippets" / confirmed.NAME).unlink()  # no machine has run the copies
    site = levels.load(root / "docs")
    # Whoever may name what PyTorch has retired is listed by name.
    allowed = {page for name in retired.RETIRED for page in name.pages}
    originals = itertools.cycle(question for question in site.questions if question.id not in allowed)
    for number, question in zip(range(len(site.questions), count), originals, strict=False):
        _copy_question(root, question.id, number)
        for puzzle in site.puzzles:
            if puzzle.question is question:
                _copy_puzzle(root, puzzle.slug, question.id, number)
    return root


def _copy_question(root: Path, question: str, number: int) -> None:
    page = root / "docs" / f"{question}.md"
    text = page.read_text(encoding="utf-8")
    claimed = claims.module_of(question, root).read_text(encoding="utf-8")
    included = [Path(line.include["path"]) for line in markdown.lines(text) if line.include]
    for name in sorted({path.with_suffix("") for path in included if path.suffix == ".py"}):
        copy = _copy_of(name.name, number)
        _copy_snippets(root / "snippets" / name.parent, name.name, number, copy)
        claimed += f"# {name.with_name(copy)}.py\n"  # which of them a claim tries does not matter here
        text = re.sub(rf'(?<=")((?:[\w-]+/)*){re.escape(name.name)}(?=\.(?:py|out)")', rf"\1{copy}", text)
    text = text.replace("**Strong**: ", f"**Strong**: ({number}) ", 1)
    text = re.sub(r"(?m)^aliases: \[(.*)\]$", lambda found: f"aliases: [{_numbered(found[1], number)}]", text, count=1)
    page.with_name(f"{page.stem}-{number}.md").write_text(text, encoding="utf-8")
    claims.module_of(f"{question}-{number}", root).write_text(claimed, encoding="utf-8")
    sheet, place = page.parents[1] / sheets.NAME, question.partition("/")[2]
    lines = sheet.read_text(encoding="utf-8")
    if row := re.search(rf"(?m)^\|.*\({place}\.md\).*\n", lines):
        sheet.write_text(lines + row[0].replace(f"({place}.md)", f"({place}-{number}.md)"), encoding="utf-8")
    index = page.with_name("index.md")
    text = index.read_text(encoding="utf-8")
    index.write_text(re.sub(r"(?m)^order: \[(.*)\]$", rf"order: [\1, {page.stem}-{number}]", text), encoding="utf-8")


def _numbered(names: str, number: int) -> str:
    return json.dumps([f"{name} {number}" for name in yaml.safe_load(f"[{names}]")])[1:-1]


def _copy_of(stem: str, number: int) -> str:
    """The name of a copy: what is broken on purpose says so at its end."""
    plain = stem.removesuffix("_broken")
    return f"{plain}_{number}{stem.removeprefix(plain)}"


def _copy_puzzle(root: Path, slug: str, question: str, number: int) -> None:
    page = root / "docs" / FOLDER / f"{slug}.md"
    stem, folder = slug.replace("-", "_"), root / "snippets" / FOLDER
    for program in [stem, *(path.stem for path in folder.glob(f"{stem}__*.py"))]:
        _copy_snippets(folder, program, number, program.replace(stem, f"{stem}_{number}", 1))
    text = page.read_text(encoding="utf-8").replace(f"question: {question}\n", f"question: {question}-{number}\n", 1)
    page.with_name(f"{slug}-{number}.md").write_text(f"{text}\n({number})\n", encoding="utf-8")


def _copy_snippets(folder: Path, stem: str, number: int, name: str) -> None:
    """A snippet and its outputs under another name, and with another last line of code."""
    code = (folder / f"{stem}.py").read_text(encoding="utf-8").rstrip("\n") + f"  # {number}\n"
    (folder / f"{name}.py").write_text(code, encoding="utf-8")
    for out in [folder / f"{stem}.out", *(variant.path for variant in outputs.variants(folder / f"{stem}.py"))]:
        if found := outputs.read(out):
            text = out.read_text(encoding="utf-8")
            if found.fingerprint:
                text = text.replace(found.fingerprint, outputs.fingerprint(code, found.text), 1)
            out.with_name(name + out.name.removeprefix(stem)).write_text(text, encoding="utf-8")
