"""The PDFs of a level, which Chromium prints from its prints."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from warmup import vocabulary
from warmup.exports.print_view import PRINT, SHORT
from warmup.project import Problem, ProblemError

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def name_of(level: str, view: str = PRINT) -> str:
    """Name of the PDF of one of a level's prints, which stands beside the level's page."""
    return f"torch-warmup-{level}{'' if view == PRINT else '-short'}.pdf"


def write(browser: Browser, print_view: Path, file: Path) -> int:
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


def write_all(site: Path, program: Callable[[], str], arguments: Iterable[str]) -> list[tuple[Path, int]]:
    """Print each level of a built site into PDFs beside the level's page; the files with their numbers of pages.

    Args:
        site: the built site's folder.
        program: finds a Chromium; asked only where there is something to print.
        arguments: what to start it with.

    Raises:
        ProblemError: there is no built site.
    """
    from playwright.sync_api import sync_playwright

    views = [
        (site / level / name_of(level, view), page)
        for level in vocabulary.LEVELS
        for view in (PRINT, SHORT)
        if (page := site / level / view / "index.html").is_file()
    ]
    if not views:
        raise ProblemError(Problem(site.name, 0, "No level has a print view here.", "Run: make pdf"))
    executable = program()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=list(arguments))
        made = []
        for file, page in views:
            made.append((file, write(chromium, page, file)))
        chromium.close()
    return made
