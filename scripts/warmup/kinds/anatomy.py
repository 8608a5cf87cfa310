"""What is wrong with a page of any kind: its front matter's keys, its sections and their order, its includes."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from pathlib import Path

from warmup.content import header, markdown, outputs, sources, statements
from warmup.content.page import Page, Section
from warmup.kinds.follow_ups import FIRST
from warmup.kinds.markup import Found
from warmup.vocabulary import GRADES


def related(page: Page) -> Found:
    """Related questions that there are not."""
    for target in page.meta.get("related") or []:
        docs = page.path.parents[2]
        if not (docs / f"{target}.md").exists():
            yield (
                page.line_of("related"),
                f"related names {target!r}, which is not a page.",
                "Write it as level/topic/slug, and only pages that exist.",
            )


def sections(page: Page, known: Sequence[str], required: Container[str]) -> Found:
    """Sections that are unknown, empty, missing or out of order, and what makes a page's Markdown unfit."""
    titles = [s.title for s in page.sections]
    for section in page.sections:
        if section.title not in known:
            yield section.line, f"Unknown section {section.title!r}.", f"The sections are: {', '.join(known)}."
        elif not section.text:
            yield section.line, f"The section {section.title!r} is empty.", "Fill it in, or take its heading out."
    for title in known:
        if title in required and title not in titles:
            yield page.body_line, f"The section {title!r} is missing.", "Every page of this kind has it."
    placed = [s for s in page.sections if s.title in known]
    for before, after in zip(placed, placed[1:], strict=False):
        if known.index(before.title) >= known.index(after.title):
            yield (
                after.line,
                f"The section {after.title!r} is after {before.title!r}.",
                f"The order is: {', '.join(known)}.",
            )
    for number, line in enumerate(page.text.split("\n"), 1):
        if "TODO" in line:
            yield number, "The page still says TODO.", "Fill it in, or take the section out."
    for number, line, fence in page.lines:
        if not fence and markdown.FENCE.match(line):
            yield (
                number,
                "This fence does not end.",
                "Close it with a line that holds only the same mark, indented as the first one, and no line less.",
            )
        if not fence and re.match(r"# +\S", line):
            yield number, "The page has an H1.", "The title in the front matter is the H1: take the line out."


def folds(page: Page, title: str, found: Sequence[markdown.Fold], kind: str, called: str, low: int, high: int) -> Found:
    """A section whose folds of a kind are too few or too many, or that has text between them."""
    if not (section := page.section(title)):
        return
    if not low <= len(found) <= high:
        yield (
            section.line,
            f"{title!r} has {len(found)} folded {called}; {low} to {high} belong there.",
            f'Write each as ??? {kind} "..." with its answer indented below.',
        )
    before: markdown.Fold | None = None
    for part in markdown.split_folds(section.lines):
        if isinstance(part, markdown.Fold):
            before = part
        elif before and before.text.strip():  # else all of its answer is missing, which is told of it
            number = next(line.number for line in part if line.text.strip())
            yield number, "This text is outside the fold above it.", "Indent it by four spaces."


def shown_as_written(page: Page) -> Found:
    """What Markdown does not show as it stands: names in double underscores, a backslash before a title's quotes."""
    for line, text in zip(page.lines, markdown.prose(page.lines), strict=True):
        for found in re.findall(r"(?<!\w)__\w+?__(?!\w)", text):
            yield line.number, f"The page shows {found} in bold, without its underscores.", "Put it into backticks."
    for fold in markdown.folds(page.lines):
        if '\\"' in fold.title:
            yield (
                fold.line,
                "The page shows the backslash before a quote in this title.",
                "Take it out: the title ends at the last quote of its line.",
            )


def follow_ups_alone(page: Page, found: Sequence[markdown.Fold]) -> Found:
    """Fewer follow-ups than a mock interview asks that stand alone."""
    alone = [fold for fold in found if not fold.here]
    if found and len(alone) < FIRST <= len(found):
        yield (
            found[0].line,
            f"Of the follow-ups, {len(alone)} can be asked without the page; a mock interview asks {FIRST}.",
            'Reword one so that it names its setting, and take the "here" out of its line.',
        )


def grades(page: Page, found: Sequence[tuple[str, str]], wanted: Sequence[str] = GRADES) -> Found:
    """*Listening for* without its three bullets, or with one that says nothing."""
    if not (section := page.section("Listening for")):
        return
    names = [grade for grade, _ in found]
    if names != list(wanted):
        yield (
            section.line,
            f"'Listening for' has the bullets {names or 'none'}.",
            f"Three bullets, in this order: {', '.join(f'**{name}**' for name in wanted)}.",
        )
    yield from _said(section)


def _said(section: Section) -> Found:
    """Bullets of grades that say nothing, and text below them that belongs to none."""
    begun, said, ended = 0, "", False  # of the bullet that is read: its line, its text, and whether that has ended
    for line in section.lines:
        if begins := markdown.GRADE.match(line.text):
            if begun and not said:
                break
            begun, said, ended = line.number, line.text[begins.end() :].strip(), False
        elif not line.text.strip():
            ended = True
        elif begun and ended and not line.text.startswith("    "):
            if said:
                yield line.number, "This text is outside the grades.", "Write it behind one, or indent it."
            break
        else:
            said += line.text.strip()
    if begun and not said:
        yield begun, "This grade says nothing.", "Write behind it what such an answer sounds like."


def includes(page: Page, snippets: Path) -> Found:
    """Includes of files that are not there, or in a fence that does not fit them."""
    where = "/".join(page.path.parts[-3:-1])
    for include in page.includes:
        path = snippets / include.path
        if include.path.endswith(".py"):
            if not path.is_file():
                yield (
                    include.line,
                    f"The snippet snippets/{include.path} does not exist.",
                    f"Write it, or fix the path: this page's snippets are in snippets/{where}/.",
                )
            if not re.match(r"python\b.*\btitle=", include.fenced_as):
                yield (
                    include.line,
                    "A snippet is in a fence without a title.",
                    f'Fence it as ```python title="{path.name}".',
                )
        elif include.path.endswith(".out"):
            source = path.with_suffix(".py")
            if not sources.exists(source):
                yield (
                    include.line,
                    f"The output snippets/{include.path} has no snippet beside it.",
                    "An output is what a snippet of the same name printed.",
                )
            elif not path.is_file() and "cuda" not in header.of(source).needs:  # only a GPU may be waited for
                yield (
                    include.line,
                    f"The output snippets/{include.path} has not been recorded.",
                    f"Run: make record Q={include.path.removesuffix('.out')}",
                )
            if include.fenced_as == "statements" and path.is_file() and (found := outputs.read(path)):
                try:
                    statements.read(found.text)
                except ValueError as error:
                    yield (
                        include.line,
                        f"The statements cannot be read: {error}.",
                        "Print level, y or n, and text.",
                    )
            elif include.fenced_as.split(" ")[0] != "output":
                yield include.line, "An output is in a fence that is not ```output.", "Fence it as ```output."
        elif include.path.endswith(".svg"):
            if not path.is_file():
                yield (
                    include.line,
                    f"The plot snippets/{include.path} has not been recorded.",
                    f"Run: make record Q={include.path.removesuffix('.svg')}",
                )
            if not re.match(r'plot alt="[^"]+"( caption="[^"]+")?$', include.fenced_as):
                yield (
                    include.line,
                    "A plot has no alternative text for those who cannot see it.",
                    'Fence it as ```plot alt="what one would see".',
                )
        elif not path.is_file():
            yield include.line, f"The included file snippets/{include.path} does not exist.", "Mend the path."
