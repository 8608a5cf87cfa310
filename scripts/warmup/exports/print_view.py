"""A level in one document, for paper: its questions' finished pages, and of each only what is said aloud and judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import jinja2

from warmup import licenses
from warmup.exports.build import Build
from warmup.kinds.questions import Question
from warmup.project import ROOT
from warmup.site import marks
from warmup.site.links import relative_link, relocated, resolve
from warmup.site.sections import Sections

PRINT = "print/"
SHORT = "short/"

_HEADING = re.compile(r"(?<=<h)[2-5](?=[ >])")


def write(build: Build) -> None:
    """Write both prints of each level."""
    loader = jinja2.FileSystemLoader(ROOT / "scripts" / "theme")
    templates = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True)
    # Material names its files by content.
    material = sorted(
        path.relative_to(build.folder).as_posix() for path in build.folder.glob("assets/stylesheets/*.min.css")
    )
    for level in build.site.levels:
        questions = [question for question in level.questions if question.id in build.contents]
        anchors = {question.url: anchor(question) for question in questions}
        for place in (PRINT, SHORT):
            url, name = level.url + place, place.rstrip("/")
            here, away = relative_link(url), build.link(url)

            def shown(question: Question, anchors=anchors, away=away, here=here, short=place == SHORT) -> str:
                sections = build.contents[question.id]
                # What a link leads to is not in a short print.
                content = spoken(sections) if short else sections.paper
                return body(question, content, {} if short else anchors, away, here)

            build.write(
                f"{url}index.html",
                templates.get_template(f"{name}.html").render(
                    build=build,
                    licenses=licenses,
                    level=level,
                    anchors=anchors,
                    here=here,
                    away=away,
                    stylesheets=[*material, "assets/stylesheets/warmup.css"],
                    contents={question.id: build.remembered(name, question, shown) for question in questions},
                ),
            )


def anchor(question: Question) -> str:
    """The question's id in its level's print view."""
    return f"{question.topic}--{question.slug}"


def spoken(sections: Sections) -> str:
    """What is said aloud, and below it what each grade sounds like."""
    grades = "".join(f"<li><strong>{grade}</strong>: {text}</li>" for grade, text in sections.ladder)
    return marks.bare(f'{sections.say}<ul class="tw-ladder" aria-label="Listening for">{grades}</ul>')


def body(
    question: Question, content: str, anchors: Mapping[str, str], away: Callable[[str], str], here: Callable[[str], str]
) -> str:
    """A question's HTML for a document that has its neighbors too: ids are its own, links find what is in the document.

    Args:
        question: the page.
        content: the page's HTML, as its own page shows it.
        anchors: ids in the document by address, of the questions that are in it.
        away: makes an address below the site's root fit for a link out of the document.
        here: makes it fit for what the document embeds.
    """

    def target(address: str) -> str:
        path, hash_, part = resolve(question.url, address).partition("#")
        if path in anchors:
            return "#" + anchors[path] + (f"--{part}" if part else "")
        return away(path + hash_ + part)

    content = content.replace("<details", "<details open")
    # The style goes by the element, the PDF's tags by aria-level: here a section stands below its question.
    content = _HEADING.sub(lambda match: f'{match[0]} aria-level="{int(match[0]) + 1}"', content)
    return relocated(content, f"{anchor(question)}--", target, lambda address: here(resolve(question.url, address)))
