"""A page's finished HTML, and the parts of it that cards, deck, kit and prints show: cut at the build's own marks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from warmup.kinds.entry import Entry
from warmup.project import Problem, relative
from warmup.site import marks
from warmup.site.links import relocated, resolve

# Anki would run them whenever it shows a card; a browser does not run what is put into a page like this.
_SCRIPT = re.compile(r"<script\b.*?</script\s*>", re.S | re.I)


@dataclass(frozen=True)
class Sections:
    """What is shown of a question, an exercise or a trainer, all HTML with marks.

    Attributes:
        marked: all of the page.
        say: *Say it*.
        run: *Run it*; of an exercise, *Solution*.
        task: *Task* of an exercise.
        follow_ups: *They ask next* as (question, answer).
        ladder: *Listening for* as (grade, what it sounds like), the grade being plain text.
    """

    marked: str
    say: str
    run: str
    task: str
    follow_ups: list[tuple[str, str]]
    ladder: list[tuple[str, str]]

    @classmethod
    def of(cls, marked: str) -> Sections:
        """Cut a page's HTML."""
        bodies = dict(marks.parts("body", _SCRIPT.sub("", marks.without("permalink", marked))))
        asked = bodies.get("they-ask-next", "")
        questions, answers = marks.parts("question", asked), marks.parts("answer", asked)
        return cls(
            marked,
            bodies.get("say-it", "").strip(),
            (bodies.get("run-it") or bodies.get("solution", "")).strip(),
            bodies.get("task", "").strip(),
            [(one[1].strip(), other[1].strip()) for one, other in zip(questions, answers, strict=True)],
            [(name, text.strip()) for name, text in marks.parts("grade", bodies.get("listening-for", ""))],
        )

    @cached_property
    def html(self) -> str:
        """All of the page as its readers get it."""
        return marks.bare(self.marked)

    @cached_property
    def paper(self) -> str:
        """All of the page without what leads nowhere from paper: links of headings to themselves, downloads."""
        return marks.bare(marks.without("permalink", marks.without("download", self.marked)))

    def lost(self, page: Entry) -> list[Problem]:
        """Where the page's Markdown says what its HTML does not: cards would lose it."""
        found = []
        for title, written, shown in (
            ("They ask next", len(page.follow_ups), len(self.follow_ups)),
            ("Listening for", [name for name, _ in page.grades], [name for name, _ in self.ladder]),
        ):
            if written != shown:
                section = page.section(title)
                message = f"{title} has {written} in Markdown, but {shown} as HTML: cards would lose some."
                fix = "Begin each fold and each bullet at the left margin, between blank lines."
                found.append(Problem(relative(page.path), section.line if section else 0, message, fix))
        return found

    def each(self, change: Callable[[str], str]) -> Sections:
        """The same with every part changed."""
        return replace(
            self,
            say=change(self.say),
            run=change(self.run),
            follow_ups=[(change(asked), change(answer)) for asked, answer in self.follow_ups],
            ladder=[(grade, change(text)) for grade, text in self.ladder],
        )

    def placed(self, page: Entry, link: Callable[[str], str]) -> Sections:
        """The same, its parts without marks, for a document that shows other pages too.

        Args:
            page: the page that it was cut from.
            link: makes an address below the site's root fit for that document.
        """
        prefix = page.id.replace("/", "--") + "--"

        def there(part: str) -> str:
            return relocated(marks.bare(part), prefix, lambda address: link(resolve(page.url, address))).strip()

        return self.each(there)
