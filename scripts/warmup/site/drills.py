"""What the markers on the pages of exercises and broken trainers stand for.

All of it is Markdown, so that plain copies of the pages can use it too, except for the boxes, for which a copy has
``plain``.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

from warmup.kinds.drills import Drill
from warmup.kinds.exercises import Exercise
from warmup.kinds.trainers import Trainer
from warmup.project import Problem, ProblemError, relative
from warmup.site import blocks, marks
from warmup.site.links import SNIPPET_URL, relative_link

MARKERS: dict[str, type[Drill]] = {"attempt": Exercise, "mistakes": Exercise, "check": Trainer, "bugs": Trainer}

BOXES = ("attempt", "check")


def marker(
    name: str,
    page: Drill | None,
    snippets: Path,
    link: Callable[[str], str],
    where: Path,
    label: Callable[[str], str],
    judged: Callable[[Drill], bool] = lambda page: False,
) -> list[str]:
    """The lines that stand for a marker.

    Args:
        name: one of ``MARKERS``.
        page: the exercise or trainer that has it; None where the page is none.
        snippets: the folder of the programs.
        link: makes an address below the site's root fit for the page.
        where: the page's file, for messages.
        label: what stands in front of a program that one downloads.
        judged: whether a page itself judges what a reader writes.

    Raises:
        ProblemError: the page is not of the kind that has this marker, or a file is damaged.
    """
    try:
        if name == "mistakes" and isinstance(page, Exercise):
            return _mistakes(page, snippets)
        if name == "bugs" and isinstance(page, Trainer):
            return _bugs(page, snippets, label)
    except (OSError, ValueError, SyntaxError) as error:
        message = f"What stands for warmup:{name} cannot be made: {error}."
        raise ProblemError(Problem(relative(where), 0, message, "Mend the files that it is made from.")) from error
    if page is None or not isinstance(page, MARKERS[name]):
        kind = MARKERS[name].label_of_all
        raise ProblemError(Problem(relative(where), 0, f"warmup:{name} belongs on a page of {kind}.", "Take it out."))
    return _box(page, link, judged(page))


def plain(page: Drill, link: Callable[[str], str]) -> str:
    """What the box says, for a copy of the page in Markdown."""
    start, judge = (f"[{Path(name).name}]({link(SNIPPET_URL + name)})" for name in (page.start, page.judge))
    return f"Time: {page.minutes} min. Download {start} and {judge}, then run:\n\n```text\n{command(page)}\n```"


def command(page: Drill) -> str:
    """The line that judges what a reader wrote into the file that one begins with."""
    return f"python {Path(page.judge).name} {Path(page.start).name}"


def _box(page: Drill, link: Callable[[str], str], judged: bool) -> list[str]:
    """Where one begins to write: complete without a script. One finds all that it needs in its data attributes.

    practice/attempt.js fills the empty element. ``judged``: the page has a field to write in, and judges it.
    """
    kind = "exercise" if isinstance(page, Exercise) else "trainer"
    addresses = {name: html.escape(link(SNIPPET_URL + name)) for name in (page.start, page.judge)}
    start, judge = (f'<a href="{address}" download>{Path(name).name}</a>' for name, address in addresses.items())
    here, there = addresses.values()
    if kind == "exercise":
        task = f"Download {start} and {judge}, write your solution into the first, and run:"
        field = "Write your solution into the field above and press <em>Judge</em>."
        more = (
            f"<p>The judge needs nothing but torch. In a copy of this project, <code>make write Q={page.slug}</code> "
            "makes a copy of the starter for you and judges it whenever you save it.</p>"
        )
    else:
        task = f"Download {start} and {judge}, fix the first, and run:"
        field = "Press <em>Edit</em> above, fix the script there, and press <em>Check</em>."
        more = "<p>The check needs nothing but torch. It says which symptoms are gone, and nothing about causes.</p>"
    live = f'<a href="{html.escape(link("about/live/"))}"><code>make live</code></a>'
    if judged:
        task = f"{field} Or d{task[1:]}"
    else:
        wish = "write and judge your solution" if kind == "exercise" else "fix and check the script"
        more += f"<p>This page cannot run Python: to {wish} in it, open it with {live} on your own machine.</p>"
    return [
        "",
        f'<div class="tw-app tw-try" role="group" aria-label="Your attempt" data-{kind}="{page.slug}" '
        f'data-minutes="{page.minutes}" data-starter="{here}"><!--{marks.begin("box")}-->',
        f'<p><strong class="tw-try__minutes">{page.minutes} minutes.</strong> {task}</p>',
        f"<pre><code>{command(page)}</code></pre>",
        more,
        f'<div class="tw-attempt__tools"></div><!--{marks.end("box")}-->',
        "</div>",
        "",
    ]


def _mistakes(page: Exercise, snippets: Path) -> list[str]:
    """Each mistake: why it is one, and in what a solution with it differs from the right one."""
    right = (snippets / page.answer).read_text(encoding="utf-8")
    lines = []
    for mistake in (found := page.mistakes(snippets)):
        lines += ["", mistake.why, "", *_diff(right, mistake.made(right))]
    title = f"What people write instead, and the judge knows ({len(found)})"
    return ["", f'??? info "{title}"', *(f"    {line}".rstrip() for line in lines), ""]


def _bugs(page: Trainer, snippets: Path, label: Callable[[str], str]) -> list[str]:
    """Each bug: the line of the downloaded file in which it stands, what it is, and how it is mended."""
    code = (snippets / page.start).read_text(encoding="utf-8")
    lines, above = [""], label(page.start).count("\n")
    for bug in page.mistakes(snippets):
        lines += [f"**Line {above + bug.line_in(code)}: {bug.why}**", "", *_diff(code, bug.mended(code))]
    fixed = relative_link(f"{page.folder_of_all}/")(SNIPPET_URL + page.answer)
    return [*lines, f"[Download {Path(page.answer).name}]({fixed}), the script without them.", ""]


def _diff(old: str, new: str) -> list[str]:
    return ["```diff", *blocks.diff(old, new), "```", ""]
