"""`make new`: a question's page, snippet and claims, laid out from ``scripts/template`` and failing until filled in."""

from __future__ import annotations

import re
from pathlib import Path

from warmup import vocabulary
from warmup.kinds import sheets
from warmup.project import ROOT, Problem, ProblemError, relative

TEMPLATE = ROOT / "scripts" / "template"


def new(question: str, root: Path = ROOT) -> list[Path]:
    """Write the files of a new question.

    Args:
        question: ``level/topic/slug``, for example ``junior/autograd/detach``.
        root: the project.

    Returns:
        The files written or changed.

    Raises:
        ProblemError: the name is not of that form, or the question exists. Nothing is written then.
    """
    if not re.fullmatch(rf"({'|'.join(vocabulary.LEVELS)})/[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*", question):
        raise ProblemError(
            Problem(
                "make new",
                0,
                f"{question!r} is not a question's name.",
                f"Write level/topic/slug in lower case with hyphens, level one of {', '.join(vocabulary.LEVELS)}: "
                "make new Q=junior/autograd/detach",
            )
        )
    level, topic, slug = question.split("/")
    stem = slug.replace("-", "_")
    words = {
        "level": level,
        "topic": topic,
        "topic_label": vocabulary.label(topic),
        "slug": slug,
        "stem": stem,
        "file": f"{stem}.py",
        "variable": stem,
        "test_class": "Test" + "".join(word.capitalize() for word in slug.split("-")),
    }

    page = root / "docs" / level / topic / f"{slug}.md"
    snippet = root / "snippets" / level / topic / f"{stem}.py"
    claims = root / "tests" / "snippets" / level / topic / f"test_{stem}.py"
    for path in (page, snippet, claims):
        if path.exists():
            raise ProblemError(Problem(relative(path), 0, "It exists already.", "Edit it, or choose another name."))

    # Everything is put together before anything is written, so that a mistake leaves nothing half-done.
    changes = {
        page: _filled("page.md", words),
        snippet: _filled("snippet.py", words),
        claims: _filled("claims.py", words),
    }
    index = page.with_name("index.md")
    changes[index] = _with_order(
        index.read_text(encoding="utf-8") if index.exists() else _filled("topic.md", words), slug, index
    )
    sheet = page.parents[1] / sheets.NAME
    if sheet.exists():
        line = f"| TODO: one line to remember. | | [{vocabulary.label(slug)}]({topic}/{slug}.md) |\n"
        changes[sheet] = sheet.read_text(encoding="utf-8") + line
    config = root / "mkdocs.yml"
    changes[config] = _with_topic(config.read_text(encoding="utf-8"), level, topic)

    written = []
    for path, text in changes.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            written.append(path)
    return written


def _filled(name: str, words: dict[str, str]) -> str:
    text = (TEMPLATE / name).read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(f"{{{word}}}", value)
    return text


def _with_order(text: str, slug: str, path: Path) -> str:
    match = re.search(r"^order: \[(.*?)\]$", text, flags=re.M | re.S)
    if not match:
        raise ProblemError(
            Problem(
                relative(path),
                0,
                "Its front matter has no order: [...] list.",
                "Add order: [] to it, then run this again.",
            )
        )
    order = [*re.findall(r"[\w-]+", match[1]), slug]
    return text[: match.start()] + f"order: [{', '.join(order)}]" + text[match.end() :]


def _with_topic(text: str, level: str, topic: str) -> str:
    lines = text.split("\n")
    entry = f"      - {level}/{topic}"
    if entry in lines:
        return text
    last = max(i for i, line in enumerate(lines) if line.startswith(f"      - {level}/"))
    return "\n".join([*lines[: last + 1], entry, *lines[last + 1 :]])
