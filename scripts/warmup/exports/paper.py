"""A whole level for paper: a print view made of its questions' finished pages, and the PDF that Chromium prints."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import jinja2

from warmup import vocabulary
from warmup.content.questions import Question
from warmup.project import ROOT, Problem, ProblemError
from warmup.site.links import relative_link, relocated

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from warmup.exports import Build

PRINT = "print/"

_ON_SCREEN_ONLY = re.compile(r'<a class="(?:headerlink|tw-download)".*?</a>', re.S)
_HEADING = re.compile(r"(?<=<h)[2-5](?=[ >])")


def pdf_name(level: str) -> str:
    """Name of a level's PDF, which stands beside the level's page."""
    return f"torch-warmup-{level}.pdf"


def write(build: Build) -> None:
    """Write the print view of each level."""
    loader = jinja2.FileSystemLoader(ROOT / "scripts" / "theme")
    template = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True).get_template("print.html")
    # Material names its files by content.
    material = sorted(
        path.relative_to(build.folder).as_posix() for path in build.folder.glob("assets/stylesheets/*.min.css")
    )
    for level in build.site.levels:
        if build.rendered.isdisjoint(question.id for question in level.questions):
            continue
        url = level.url + PRINT
        here = relative_link(url)
        away = (lambda path: build.site_url + path) if build.site_url else here
        anchors = {question.url: anchor(question) for question in level.questions if question.id in build.contents}
        build.write(
            f"{url}index.html",
            template.render(
                build=build,
                level=level,
                anchors=anchors,
                here=here,
                away=away,
                stylesheets=[*material, "assets/stylesheets/warmup.css"],
                contents={
                    question.id: body(question, build.contents[question.id], anchors, away, here)
                    for question in level.questions
                    if question.id in build.contents
                },
            ),
        )


def anchor(question: Question) -> str:
    """The question's id in its level's print view."""
    return f"{question.topic}--{question.slug}"


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

    def resolved(address: str) -> str:
        return urljoin(f"/{question.url}", address)[1:]

    def target(address: str) -> str:
        path, hash_, part = resolved(address).partition("#")
        if path in anchors:
            return "#" + anchors[path] + (f"--{part}" if part else "")
        return away(path + hash_ + part)

    content = _ON_SCREEN_ONLY.sub("", content).replace("<details", "<details open")
    # The style goes by the element, the PDF's tags by aria-level: here a section stands below its question.
    content = _HEADING.sub(lambda match: f'{match[0]} aria-level="{int(match[0]) + 1}"', content)
    return relocated(content, f"{anchor(question)}--", target, lambda address: here(resolved(address)))


def pdf(browser: Browser, print_view: Path, file: Path) -> int:
    """Print a print view into a PDF whose contents have page numbers and stand in its outline too.

    Args:
        browser: a Chromium.
        print_view: the built page.
        file: where the PDF goes.

    Returns:
        The number of its pages.
    """
    import pikepdf

    def printed() -> pikepdf.Pdf:
        return pikepdf.open(io.BytesIO(page.pdf(format="A4", print_background=True, tagged=True)))

    page = browser.new_page()
    page.goto(print_view.as_uri())
    # Where the site's address is not known, a link out of the document would name a folder of this machine.
    page.evaluate("""() => {
        for (const link of document.querySelectorAll('a:not([href^="#"], [href^="http"])')) link.removeAttribute("href")
    }""")
    # CSS cannot ask Chromium on which page the target of a link is; its own first print can be asked.
    with printed() as first:
        pages = {name[1:]: pikepdf.Page(place[0]).index for name, place in first.Root.Dests.items()}
    contents = page.evaluate(
        """pages => [...document.querySelectorAll(".tw-contents a")].map(link => {
        const index = pages[link.hash.slice(1)]
        const number = link.parentElement.querySelector("span")
        if (number) number.textContent = index + 1
        return [link.textContent, index, Boolean(number)]
    })""",
        pages,
    )
    with printed() as last:
        with last.open_outline() as outline:
            for title, index, is_question in contents:
                level = outline.root[-1].children if is_question else outline.root
                level.append(pikepdf.OutlineItem(title, index))
        # The tags, which screen readers need, are most of the file, and small once compressed.
        last.save(file, object_stream_mode=pikepdf.ObjectStreamMode.generate)
        count = len(last.pages)
    page.close()
    return count


def pdfs(site: Path) -> list[tuple[Path, int]]:
    """Print each level of a built site into a PDF beside the level's page; the files with their numbers of pages.

    Raises:
        ProblemError: there is no built site.
    """
    from playwright.sync_api import sync_playwright

    from warmup.dev import browser

    views = [(level, view) for level in vocabulary.LEVELS if (view := site / level / PRINT / "index.html").is_file()]
    if not views:
        raise ProblemError(Problem(site.name, 0, "No level has a print view here.", "Run: make pdf"))
    program = browser.ensure()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(browser.ARGUMENTS))
        made = []
        for level, view in views:
            file = site / level / pdf_name(level)
            made.append((file, pdf(chromium, view, file)))
        chromium.close()
    return made
