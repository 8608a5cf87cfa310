"""What is wrong with a question's page: front matter, sections, lengths and includes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from warmup.content import markdown
from warmup.content.outputs import without_header
from warmup.content.page import Include, Section
from warmup.content.questions import FRONT_MATTER, Question, needs_of
from warmup.project import Problem, relative
from warmup.vocabulary import GRADES, KINDS, REQUIRED_SECTIONS, SECTIONS

REQUIRED_FRONT_MATTER = ("title", "kind", "tags", "minutes")
SAY_IT_WORDS = 70
WHY_WORDS = 400
RUN_IT_LINES = 15
_PRONOUN = re.compile(r"(It|They|This|That|These|Those)\b")
_MARKUP = re.compile(r"`|(?<![\w\\])[*_]+\w|\w[*_]+(?![\w(*])")
FOLLOW_UPS = (2, 7)


def problems(page: Question, snippets: Path) -> Iterator[Problem]:
    """Every problem of one page; ``snippets`` is the folder that its includes name files of."""
    yield from page.mistyped.values()
    for line, message, fix in (*_front_matter(page), *_sections(page, snippets), *_includes(page, snippets)):
        yield Problem(relative(page.path), line, message, fix)


def _front_matter(page: Question) -> Iterator[tuple[int, str, str]]:
    for key in REQUIRED_FRONT_MATTER:
        if key not in page.mistyped and not page.meta.get(key):
            yield page.line_of(key), f"The front matter has no {key}.", f"Add {key}: ..."
    for key in page.meta:
        if key not in FRONT_MATTER:
            yield (
                page.line_of(key),
                f"The front matter has an unknown key, {key!r}.",
                (f"Known: {', '.join(FRONT_MATTER)}."),
            )
    if page.kind and page.kind not in KINDS:
        yield page.line_of("kind"), f"Unknown kind {page.kind!r}.", f"One of: {', '.join(KINDS)}."
    for target in page.meta.get("related") or []:
        docs = page.path.parents[2]
        if not (docs / f"{target}.md").exists():
            yield (
                page.line_of("related"),
                f"related names {target!r}, which is not a page.",
                ("Write it as level/topic/slug, and only pages that exist."),
            )


def _sections(page: Question, snippets: Path) -> Iterator[tuple[int, str, str]]:
    titles = [s.title for s in page.sections]
    for section in page.sections:
        if section.title not in SECTIONS:
            yield section.line, f"Unknown section {section.title!r}.", f"The sections are: {', '.join(SECTIONS)}."
        elif not section.text:
            yield section.line, f"The section {section.title!r} is empty.", "Fill it in, or take its heading out."
    for title in REQUIRED_SECTIONS:
        if title not in titles:
            yield page.body_line, f"The section {title!r} is missing.", "Every question page has it."
    known = [s for s in page.sections if s.title in SECTIONS]
    for before, after in zip(known, known[1:], strict=False):
        if SECTIONS.index(before.title) >= SECTIONS.index(after.title):
            yield (
                after.line,
                f"The section {after.title!r} stands after {before.title!r}.",
                (f"The order is: {', '.join(SECTIONS)}."),
            )
    for number, line in enumerate(page.text.split("\n"), 1):
        if "TODO" in line:
            yield number, "The page still says TODO.", "Fill it in, or take the section out."
    for number, line, fence in page.lines:
        if not fence and markdown.FENCE.match(line):
            yield (
                number,
                "This fence does not end.",
                ("Close it with a line that holds only the same mark, indented as the first one, and no line less."),
            )
        if not fence and re.match(r"# +\S", line):
            yield number, "The page has an H1.", "The title in the front matter is the H1: take the line out."

    if say := page.section("Say it"):
        count = len(markdown.words(say.text))
        if count > SAY_IT_WORDS:
            yield (
                say.line,
                f"'Say it' has {count} words; at most {SAY_IT_WORDS} can be said in one breath.",
                ("Say less: the answer, then the reason."),
            )
        if any(line.fence for line in say.lines):
            yield say.line, "'Say it' holds a code block.", "It is spoken: move code to 'Run it'."
        elif found := _MARKUP.search(say.text):
            at = say.line + "\n".join(line.text for line in say.lines)[: _place(say, found.start())].count("\n") + 1
            yield at, "'Say it' holds code font or italics.", "It is spoken: write the words alone."
        if match := _PRONOUN.match(say.text):
            yield (
                say.line,
                f"'Say it' begins with {match[0]!r}, and the listener does not know what that is.",
                "Name the subject, as in zero_grad() clears the gradients.",
            )
    if why := page.section("Why"):
        count = len(markdown.words(why.text))
        if count > WHY_WORDS:
            yield why.line, f"'Why' has {count} words; at most {WHY_WORDS}.", "Cut, or let a table say it."
    if run := page.section("Run it"):
        shown = [i for i in page.includes if run.line < i.line <= run.line + len(run.lines)]
        if not any(i.path.endswith(".py") for i in shown):
            yield run.line, "'Run it' shows no snippet.", 'Include one: --8<-- "level/topic/name.py".'
        if not any(i.path.endswith(".out") for i in shown):
            yield run.line, "'Run it' shows no output.", 'Include it: --8<-- "level/topic/name.out".'
        count = _lines_until_output(shown, snippets)
        if count > RUN_IT_LINES and not page.meta.get("long"):
            yield (
                run.line,
                f"'Run it' shows {count} lines of code before its first output; at most {RUN_IT_LINES} are read.",
                "Show the smallest program first, or say in the front matter why it can't be: long: ...",
            )
    if ask := page.section("They ask next"):
        count = len(page.follow_ups)
        low, high = FOLLOW_UPS
        if not low <= count <= high:
            yield (
                ask.line,
                f"'They ask next' has {count} folded follow-ups; {low} to {high} belong there.",
                ('Write each as ??? question "..." with its answer indented below.'),
            )
    if listen := page.section("Listening for"):
        grades = [grade for grade, _ in page.grades]
        if tuple(grades) != GRADES:
            yield (
                listen.line,
                f"'Listening for' has the bullets {grades or 'none'}.",
                ("Three bullets, in this order: **Weak**, **Good**, **Strong**."),
            )


def _place(section: Section, offset: int) -> int:
    """Where in a section's lines a place in its text stands, which has no empty lines around it."""
    lines = "\n".join(line.text for line in section.lines)
    return len(lines) - len(lines.lstrip()) + offset


def _lines_until_output(shown: list[Include], snippets: Path) -> int:
    """How many lines of code, empty ones left out, stand before the first output."""
    count = 0
    for include in shown:
        if include.path.endswith(".out"):
            break
        path = snippets / include.path
        if path.suffix == ".py" and path.is_file():
            code = without_header(path.read_text(encoding="utf-8", errors="replace"))
            count += sum(1 for line in code.split("\n") if line.strip())
    return count


def _includes(page: Question, snippets: Path) -> Iterator[tuple[int, str, str]]:
    for include in page.includes:
        path = snippets / include.path
        if include.path.endswith(".py"):
            if not path.is_file():
                yield (
                    include.line,
                    f"The snippet snippets/{include.path} does not exist.",
                    (f"Write it, or mend the path: this page's snippets stand in snippets/{page.level}/{page.topic}/."),
                )
            if not re.match(r"python\b.*\btitle=", include.fenced_as):
                yield (
                    include.line,
                    "A snippet stands in a fence without a title.",
                    (f'Fence it as ```python title="{path.name}".'),
                )
        elif include.path.endswith(".out"):
            source = path.with_suffix(".py")
            if not source.is_file():
                yield (
                    include.line,
                    f"The output snippets/{include.path} has no snippet beside it.",
                    ("An output is what a snippet of the same name printed."),
                )
            elif not path.is_file() and "cuda" not in needs_of(source):  # only a GPU may be waited for
                yield (
                    include.line,
                    f"The output snippets/{include.path} has not been recorded.",
                    (f"Run: make record Q={include.path.removesuffix('.out')}"),
                )
            if include.fenced_as.split(" ")[0] != "output":
                yield include.line, "An output stands in a fence that is not ```output.", "Fence it as ```output."
        elif include.path.endswith(".svg"):
            if not path.is_file():
                yield (
                    include.line,
                    f"The plot snippets/{include.path} has not been recorded.",
                    f"Run: make record Q={include.path.removesuffix('.svg')}",
                )
            if not re.match(r'plot alt="[^"]+"$', include.fenced_as):
                yield (
                    include.line,
                    "A plot stands in a fence without words for those who cannot see it.",
                    'Fence it as ```plot alt="what one would see".',
                )
        elif not path.is_file():
            yield include.line, f"The included file snippets/{include.path} does not exist.", "Mend the path."
