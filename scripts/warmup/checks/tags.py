"""Tags that mean the same: a reader who filters by one of them misses the questions of the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from warmup.kinds.questions import Question
from warmup.project import Problem, relative


def problems(questions: Iterable[Question]) -> Iterator[Problem]:
    """Every tag that differs from an earlier one only by number, case, spaces or hyphens."""
    first: dict[str, str] = {}
    for question in questions:
        for tag in question.tags:
            known = first.setdefault(_likeness(tag), tag)
            if known != tag:
                message = f"The tag {tag!r} differs from {known!r} only by number, case or spacing."
                yield Problem(
                    relative(question.path), question.line_of("tags"), message, "Write one of them on all pages."
                )


def _likeness(tag: str) -> str:
    """What is the same of tags that mean the same. Endings are cut as often wrongly as rightly: it is for comparing."""
    return "".join(re.sub(r"(?:(?<=[sxh])es|(?<=[^s])s)\Z", "", word) for word in re.split(r"[\s_-]+", tag.casefold()))
