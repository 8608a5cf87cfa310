"""Question pages: read them, check their anatomy, and know how they hang together.

A question is one Markdown file at ``docs/<level>/<topic>/<slug>.md``. Everything the site shows about it
besides its own text (chips, lists, counts, neighbors) is derived here from the path, the front matter, the
sections and the snippets that the page includes. Nothing here needs torch or MkDocs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import yaml

from warmup import vocabulary
from warmup.content import header, markdown, outputs, puzzles
from warmup.project import ROOT, Problem, ProblemError, not_utf8, relative

DOCS = ROOT / "docs"
SNIPPETS = ROOT / "snippets"

SECTIONS = (
    "Say it",
    "Run it",
    "Why",
    "Break it",
    "Myth",
    "They ask next",
    "Listening for",
    "Sources",
)
REQUIRED = ("Say it", "Run it", "They ask next", "Listening for")
GRADES = ("Weak", "Good", "Strong")
SAY_IT_WORDS = 70
WHY_WORDS = 400
FOLLOW_UPS = (2, 5)

# Of each key its type; a list is one of texts, a number is one to count with.
FRONT_MATTER = {
    "title": str,
    "kind": str,
    "tags": list,
    "minutes": int,
    "related": list,
    "asked": list,
}
INDEX_FRONT_MATTER = {"title": str, "order": list}
REQUIRED_FRONT_MATTER = ("title", "kind", "tags", "minutes")

HEADING = re.compile(r"^## +(?P<title>.+?)\s*$")

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Section:
    """One H2 section: its title, the line its heading stands on, and the lines below the heading."""

    title: str
    line: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


@dataclass(frozen=True)
class Include:
    """A snippet file that a page shows: its path below ``snippets/`` and the line that includes it."""

    path: str
    line: int
    fenced_as: str


@dataclass
class Page:
    """A Markdown file with its front matter taken apart.

    Attributes:
        path: the file.
        text: what it holds.
        meta: the front matter, without values of a wrong type.
        mistyped: a problem for each key whose value has a wrong type.
        body_line: the number of the first line below the front matter.

    Raises:
        ProblemError: the front matter is missing, is not closed, or is not a YAML mapping.
    """

    types: ClassVar[dict[str, type]] = {}

    path: Path
    text: str
    meta: dict = field(init=False)
    mistyped: dict[str, Problem] = field(init=False)
    body_line: int = field(init=False)

    def __post_init__(self) -> None:
        lines = self.text.split("\n")
        if lines[0].strip() != "---":
            self._fail(1, "The front matter is missing.", "Begin the file with --- , title: ..., --- .")
        try:
            end = next(i for i, line in enumerate(lines[1:], 1) if line.strip() == "---")
        except StopIteration:
            self._fail(1, "The front matter is not closed.", "End it with a line that holds only --- .")
        try:
            meta = yaml.load("\n".join(lines[1:end]), Loader=_Loader)
        except (yaml.YAMLError, ValueError) as error:  # a ValueError for a date such as 2026-02-30
            mark = getattr(error, "problem_mark", None)
            what = " ".join(str(getattr(error, "problem", None) or error).split())
            self._fail(
                mark.line + 2 if mark else 2,
                f"The front matter is not YAML: {what}.",
                "Quote a value that holds a colon, and indent with spaces.",
            )
        if not isinstance(meta, dict):
            self._fail(2, "The front matter is not a mapping.", "Write one `key: value` a line.")
        self.body_line = end + 2
        wrong = {key: found for key, kind in self.types.items() if (found := _mistyped(key, meta.get(key), kind))}
        self.mistyped = {key: Problem(relative(self.path), self.line_of(key), *found) for key, found in wrong.items()}
        self.meta = {key: value for key, value in meta.items() if key not in wrong}

    def _fail(self, line: int, message: str, fix: str) -> None:
        raise ProblemError(Problem(relative(self.path), line, message, fix))

    @classmethod
    def read(cls, path: Path) -> Page:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ProblemError(not_utf8(path, error)) from error
        return cls(path, text)

    def line_of(self, key: str) -> int:
        """The line of the front matter that gives ``key``; 1 where none does."""
        lines = self.text.split("\n")[: self.body_line]
        return next((number for number, line in enumerate(lines, 1) if line.startswith(f"{key}:")), 1)

    @property
    def title(self) -> str:
        return str(self.meta.get("title") or "")

    @cached_property
    def lines(self) -> list[markdown.Line]:
        """The body, its lines numbered as in the file."""
        return markdown.lines("\n".join(self.text.split("\n")[self.body_line - 1 :]), self.body_line)

    @cached_property
    def sections(self) -> list[Section]:
        heads = [(n, m["title"]) for n, line, fence in self.lines if not fence and (m := HEADING.match(line))]
        texts = {n: line for n, line, _ in self.lines}
        last = max(texts, default=0)
        ends = [n for n, _ in heads[1:]] + [last + 1]
        return [
            Section(title, n, tuple(texts[i] for i in range(n + 1, end)))
            for (n, title), end in zip(heads, ends, strict=True)
        ]

    def section(self, title: str) -> Section | None:
        return next((s for s in self.sections if s.title == title), None)

    @cached_property
    def includes(self) -> list[Include]:
        return [
            Include(match["path"], line.number, line.fence.info if line.fence else "")
            for line in self.lines
            if (match := line.include)
        ]


@dataclass(eq=False)
class Question(Page):
    """A question page; level, topic and slug come from its path."""

    types = FRONT_MATTER

    previous: Question | None = field(default=None, repr=False)
    next: Question | None = field(default=None, repr=False)
    related: list[Question] = field(default_factory=list, repr=False)

    @cached_property
    def id(self) -> str:
        """The path below ``docs/`` without its ending: ``junior/autograd/zero-grad``."""
        return "/".join((*self.path.parts[-3:-1], self.path.stem))

    @property
    def level(self) -> str:
        return self.path.parts[-3]

    @property
    def topic(self) -> str:
        return self.path.parts[-2]

    @property
    def slug(self) -> str:
        return self.path.stem

    @property
    def url(self) -> str:
        """Address below the site's root."""
        return f"{self.id}/"

    @property
    def short(self) -> str:
        """The name in the sidebar."""
        return vocabulary.label(self.slug)

    @property
    def level_label(self) -> str:
        return vocabulary.label(self.level)

    @property
    def topic_label(self) -> str:
        return vocabulary.label(self.topic)

    @property
    def kind(self) -> str:
        return str(self.meta.get("kind") or "")

    @property
    def kind_label(self) -> str:
        return vocabulary.KINDS.get(self.kind, self.kind)

    @property
    def minutes(self) -> int:
        return self.meta.get("minutes") or 0

    @property
    def tags(self) -> list[str]:
        return list(self.meta.get("tags") or [])

    @cached_property
    def snippets(self) -> list[str]:
        """The ``.py`` files that the page shows, below ``snippets/``, each once, in order."""
        return list(dict.fromkeys(i.path for i in self.includes if i.path.endswith(".py")))

    @property
    def needs(self) -> list[str]:
        """What its snippets need beyond torch and a CPU, as labels."""
        found = set().union(*(_needs(SNIPPETS / name) for name in self.snippets))
        return [text for need, text in vocabulary.NEEDS.items() if need in found]


@dataclass(eq=False)
class Index(Page):
    """A topic's index page."""

    types = INDEX_FRONT_MATTER


@dataclass
class Topic:
    """A folder of questions with its index page."""

    index: Index
    questions: list[Question]

    @property
    def level(self) -> str:
        return self.index.path.parts[-3]

    @property
    def slug(self) -> str:
        return self.index.path.parts[-2]

    @property
    def id(self) -> str:
        """The name that no other topic has: two levels may share a slug."""
        return f"{self.level}/{self.slug}"

    @property
    def label(self) -> str:
        return vocabulary.label(self.slug)

    @property
    def url(self) -> str:
        return f"{self.id}/"


@dataclass
class Level:
    """A level with its topics, in the order in which ``mkdocs.yml`` lists their folders."""

    slug: str
    topics: list[Topic]

    @property
    def label(self) -> str:
        return vocabulary.label(self.slug)

    @property
    def url(self) -> str:
        return f"{self.slug}/"

    @property
    def questions(self) -> list[Question]:
        return [q for t in self.topics for q in t.questions]


@dataclass
class Site:
    """All questions, by level and topic, the problems found while reading them, and the puzzles."""

    levels: list[Level]
    problems: list[Problem]
    puzzles: list[puzzles.Puzzle] = field(default_factory=list)

    @cached_property
    def questions(self) -> list[Question]:
        return [q for level in self.levels for q in level.questions]

    @cached_property
    def by_id(self) -> dict[str, Question]:
        return {q.id: q for q in self.questions}

    @cached_property
    def tags(self) -> list[str]:
        return sorted({tag for q in self.questions for tag in q.tags})

    @cached_property
    def snippets(self) -> list[str]:
        return list(dict.fromkeys(s for q in self.questions for s in q.snippets))


# While the site is served, both outlive a build; a file that has changed is read again.
_cache: dict[Path, tuple[int, Page]] = {}
_needs_cache: dict[Path, tuple[int, frozenset[str]]] = {}


def _needs(path: Path) -> frozenset[str]:
    """The needs in a snippet's header; none where it cannot be read, which check() reports."""
    try:
        stamp = path.stat().st_mtime_ns
        if _needs_cache.get(path, (0,))[0] != stamp:
            _needs_cache[path] = (stamp, header.parse(path.read_text(encoding="utf-8"), path).needs)
    except (OSError, UnicodeDecodeError, header.HeaderError):
        return frozenset()
    return _needs_cache[path][1]


def read(path: Path, kind: type[Page] = Page) -> Page:
    """The page at ``path``, read again only if the file has changed.

    Raises:
        ProblemError: it is no page.
    """
    stamp = path.stat().st_mtime_ns
    cached = _cache.get(path)
    if cached is None or cached[0] != stamp or type(cached[1]) is not kind:
        cached = _cache[path] = (stamp, kind.read(path))
    return cached[1]


def load(docs: Path = DOCS, topic_order: Iterable[str] = ()) -> Site:
    """Read every question and every puzzle below ``docs``.

    Args:
        docs: the documentation folder.
        topic_order: topics as ``level/topic``, in the order to show them; others follow by name.

    Returns:
        The site; a page that cannot be read is left out and named in ``problems``.
    """
    order = {name: i for i, name in enumerate(topic_order)}
    problems: list[Problem] = []
    levels = []
    for level in vocabulary.LEVELS:
        topics = []
        folders = [f for f in (docs / level).glob("*/") if any(f.glob("*.md"))]
        for folder in sorted(folders, key=lambda f: (order.get(f"{f.parent.name}/{f.name}", len(order)), f.name)):
            topic = _load_topic(folder, problems)
            if topic:
                topics.append(topic)
        if topics:
            levels.append(Level(level, topics))
    site = Site(levels, problems)
    for question in site.questions:
        question.related = [site.by_id[r] for r in question.meta.get("related") or [] if r in site.by_id]
    site.puzzles = puzzles.load(docs, site.by_id, problems)
    return site


def _load_topic(folder: Path, problems: list[Problem]) -> Topic | None:
    index_path = folder / "index.md"
    questions: dict[str, Question] = {}
    index: Index | None = None
    for path in sorted(folder.glob("*.md")):
        try:
            if path == index_path:
                index = read(path, Index)
            else:
                questions[path.stem] = read(path, Question)
        except ProblemError as error:
            problems.append(error.problem)
    if index is None:
        if not index_path.exists():
            problems.append(
                Problem(
                    relative(index_path),
                    0,
                    "The topic has no index page.",
                    "Write one, with title and order in its front matter.",
                )
            )
        return None
    problems += index.mistyped.values()
    order = list(dict.fromkeys(index.meta.get("order") or []))
    where, line = relative(index_path), index.line_of("order")
    for slug in order:
        if index.meta["order"].count(slug) > 1:
            problems.append(Problem(where, line, f"order names {slug!r} more than once.", "Keep it where it belongs."))
        if slug not in questions and not (folder / f"{slug}.md").exists():
            problems.append(
                Problem(
                    where, line, f"order names {slug!r}, which is not a page here.", f"Take it out, or write {slug}.md."
                )
            )
    for slug in questions if "order" not in index.mistyped else ():
        if slug not in order:
            problems.append(
                Problem(
                    where,
                    line,
                    f"order does not name {slug!r}.",
                    f"Add it where it belongs in the path through {folder.name}.",
                )
            )
    ordered = [questions[s] for s in order if s in questions] + [q for s, q in questions.items() if s not in order]
    for before, after in zip([None, *ordered], [*ordered, None], strict=True):
        if before:
            before.next = after
        if after:
            after.previous = before
    return Topic(index, ordered)


def check(page: Question, snippets: Path = SNIPPETS) -> Iterator[Problem]:
    """What is wrong with one question page: front matter, sections, lengths, includes."""
    where = relative(page.path)
    yield from page.mistyped.values()
    yield from (Problem(where, line, message, fix) for line, message, fix in _front_matter(page))
    yield from (Problem(where, line, message, fix) for line, message, fix in _sections(page))
    yield from (Problem(where, line, message, fix) for line, message, fix in _includes(page, snippets))


def _mistyped(key: str, value: object, kind: type) -> tuple[str, str] | None:
    """What is wrong with the type of a value of the front matter, and the remedy; nothing where there is no value."""
    if value is None:
        return None
    if kind is list and not isinstance(value, list):
        return f"{key} is not a list.", f"Write it as {key}: [one, another]."
    if kind is list and (wrong := [one for one in value if not isinstance(one, str)]):
        return f"{key} holds {wrong[0]!r}, which is not a text.", "Put it into quotes."
    if kind is int and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        return f"{key} is not a whole number above zero.", f"Write it without quotes: {key}: 2."
    if kind is str and not isinstance(value, str):
        return f"{key} is not a text.", "Put it into quotes."
    return None


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
    if page.kind and page.kind not in vocabulary.KINDS:
        yield page.line_of("kind"), f"Unknown kind {page.kind!r}.", f"One of: {', '.join(vocabulary.KINDS)}."
    for target in page.meta.get("related") or []:
        docs = page.path.parents[2]
        if not (docs / f"{target}.md").exists():
            yield (
                page.line_of("related"),
                f"related names {target!r}, which is not a page.",
                ("Write it as level/topic/slug, and only pages that exist."),
            )


def _sections(page: Question) -> Iterator[tuple[int, str, str]]:
    titles = [s.title for s in page.sections]
    for section in page.sections:
        if section.title not in SECTIONS:
            yield section.line, f"Unknown section {section.title!r}.", f"The sections are: {', '.join(SECTIONS)}."
        elif not section.text:
            yield section.line, f"The section {section.title!r} is empty.", "Fill it in, or take its heading out."
    for title in REQUIRED:
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
        count = len(words(say.text))
        if count > SAY_IT_WORDS:
            yield (
                say.line,
                f"'Say it' has {count} words; at most {SAY_IT_WORDS} can be said in one breath.",
                ("Say less: the answer, then the reason."),
            )
        if any(line.fence for line in markdown.lines("\n".join(say.lines))):
            yield say.line, "'Say it' holds a code block.", "It is spoken: move code to 'Run it'."
    if why := page.section("Why"):
        count = len(words(_without_fences(why.text)))
        if count > WHY_WORDS:
            yield why.line, f"'Why' has {count} words; at most {WHY_WORDS}.", "Cut, or let a table say it."
    if run := page.section("Run it"):
        shown = [i for i in page.includes if run.line < i.line <= run.line + len(run.lines)]
        if not any(i.path.endswith(".py") for i in shown):
            yield run.line, "'Run it' shows no snippet.", 'Include one: --8<-- "level/topic/name.py".'
        if not any(i.path.endswith(".out") for i in shown):
            yield run.line, "'Run it' shows no output.", 'Include it: --8<-- "level/topic/name.out".'
    if ask := page.section("They ask next"):
        count = sum(1 for line in ask.lines if re.match(r'\?\?\?\+? question ".+"', line))
        low, high = FOLLOW_UPS
        if not low <= count <= high:
            yield (
                ask.line,
                f"'They ask next' has {count} folded follow-ups; {low} to {high} belong there.",
                ('Write each as ??? question "..." with its answer indented below.'),
            )
    if listen := page.section("Listening for"):
        grades = re.findall(r"^[-*] \*\*(\w+)\*\*", listen.text, flags=re.M)
        if tuple(grades) != GRADES:
            yield (
                listen.line,
                f"'Listening for' has the bullets {grades or 'none'}.",
                ("Three bullets, in this order: **Weak**, **Good**, **Strong**."),
            )


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
            elif not path.is_file() and "cuda" not in _needs(source):  # only a GPU may be waited for
                yield (
                    include.line,
                    f"The output snippets/{include.path} has not been recorded.",
                    (f"Run: make record Q={include.path.removesuffix('.out')}"),
                )
            if include.fenced_as.split(" ")[0] != "output":
                yield include.line, "An output stands in a fence that is not ```output.", "Fence it as ```output."
        elif not path.is_file():
            yield include.line, f"The included file snippets/{include.path} does not exist.", "Mend the path."


def check_site(site: Site, snippets: Path = SNIPPETS) -> list[Problem]:
    """Every problem of every question and puzzle, and the snippets and outputs that neither shows."""
    problems = list(site.problems)
    for question in site.questions:
        problems += check(question, snippets)
    for puzzle in site.puzzles:
        problems += puzzles.check(puzzle, snippets)
    shown = {i.path for q in site.questions for i in q.includes}.union(*(p.files for p in site.puzzles))
    for path in sorted(snippets.rglob("*")):
        if path.suffix not in (".py", ".out") or "__pycache__" in path.parts:
            continue
        name = path.relative_to(snippets).as_posix()
        if path.suffix == ".py":
            try:
                header.parse(path.read_text(encoding="utf-8"), path)
            except UnicodeDecodeError as error:
                problems.append(not_utf8(path, error))
            except header.HeaderError as error:
                message = f"{error.message[:1].upper()}{error.message[1:]}."
                problems.append(Problem(relative(path), error.line, message, f"{error.fix}."))
            problems += outputs.check(path)
            if name not in shown:
                problems.append(
                    Problem(
                        relative(path), 0, "No page shows this snippet.", "Include it where it belongs, or delete it."
                    )
                )
        elif not outputs.snippet_of(path).exists():
            problems.append(Problem(relative(path), 0, "This output has no snippet beside it.", "Delete it."))
        elif outputs.output_file(outputs.snippet_of(path)).relative_to(snippets).as_posix() not in shown:
            problems.append(Problem(relative(path), 0, "No page shows this output.", "Include it below its snippet."))
    return sorted(set(problems))


def words(text: str) -> list[str]:
    """The words one would read aloud: link targets, markup and table rules do not count."""
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"[`*_|#>\[\]]", " ", text)
    return [w for w in text.split() if re.search(r"\w", w)]


def _without_fences(text: str) -> str:
    return "\n".join(line.text for line in markdown.lines(text) if not line.fence)
