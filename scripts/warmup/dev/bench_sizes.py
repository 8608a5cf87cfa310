"""What pages weigh, in bytes as a host sends them compressed, and whether each keeps to its limit.

Pages repeated to make a project grow compress better than new ones would. So a list is also measured by its own rows:
what each of them costs today, times as many as there shall be.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from pathlib import Path

# A page by itself, and all that a first visit to one loads, without the data of a practice mode.
PAGE = 30_000
FIRST_VISIT = 250_000
# A whole level in one document, which nobody loads who does not want to print it.
PRINTS = ("print", "short")

# A row of a list of questions, or a line of a cheat sheet, with the first link in it.
_ROW = re.compile(r'<li(?: class="tw-question"| value=)(?:(?!</li>).)*?<a href="([^"#?]*)(?:(?!</li>).)*</li>\n?', re.S)


def compressed(text: bytes | str) -> int:
    """Bytes over the wire."""
    return len(gzip.compress(text.encode() if isinstance(text, str) else text, 9))


def weights(site: Path) -> dict[str, int]:
    """The bytes of each page of a built site, by its address; prints are left out.

    Args:
        site: the site's folder.
    """
    files = [path for path in site.rglob("*.html") if path.parent.name not in PRINTS]
    return {
        path.relative_to(site).as_posix().removesuffix("index.html"): compressed(path.read_bytes()) for path in files
    }


def rows(page: str) -> set[str]:
    """Where the rows of a page's lists lead to."""
    return {row[1] for row in _ROW.finditer(page)}


def cost_of_a_row(page: str) -> float:
    """Bytes that one more question costs a page that lists questions, with all of the question's rows there.

    Args:
        page: HTML with at least two questions.
    """
    others = set(sorted(rows(page))[::2])
    without = _ROW.sub(lambda row: "" if row[1] in others else row[0], page)
    return (compressed(page) - compressed(without)) / len(others)


def with_questions(page: str, count: int, more: int) -> int:
    """Bytes of a page whose lists have grown as the site has.

    Args:
        page: HTML.
        count: questions of the site today.
        more: questions that it shall have.
    """
    listed = len(rows(page))
    growth = listed * (more - count) / count if count else 0
    return compressed(page) + round(growth * cost_of_a_row(page) if listed > 1 else 0)


def too_heavy(weights: Mapping[str, int], limit: int = PAGE) -> list[str]:
    """What is over the limit, the heaviest first, each as a sentence."""
    found = sorted(weights.items(), key=lambda item: -item[1])
    return [
        f"{what or 'home'} has {weight / 1000:.1f} kB, limit {limit / 1000:.0f} kB."
        for what, weight in found
        if weight > limit
    ]


def lists(site: Path, count: int, more: int) -> dict[str, int]:
    """The bytes that each page with a list of questions will have, by its address; see ``with_questions``."""
    pages = {address: (site / address / "index.html") for address in weights(site) if not address.endswith(".html")}
    texts = {address: path.read_text(encoding="utf-8") for address, path in pages.items()}
    return {address: with_questions(text, count, more) for address, text in texts.items() if len(rows(text)) > 1}


def report(now: Path, grown: Path, counts: tuple[int, int]) -> list[str]:
    """Print the heaviest pages, and the prints.

    Args:
        now: the site as it is, built.
        grown: the site with more questions, built.
        counts: questions of each.

    Returns:
        What is over its limit, as sentences.
    """
    count, more = counts
    found, by_rows = weights(grown), lists(now, count, more)
    heaviest = {address: max(weight, by_rows.get(address, 0)) for address, weight in found.items()}
    print(f"Pages of {more} questions, compressed (in brackets: the list of today with {more} of its rows):")
    for address in sorted(heaviest, key=lambda address: -heaviest[address])[:12]:
        estimate = f" ({by_rows[address] / 1000:.1f} kB)" if address in by_rows else ""
        print(f"  {found[address] / 1000:.1f} kB{estimate} {address or 'home'}")
    prints = {path.parent.relative_to(grown): path for name in PRINTS for path in grown.glob(f"*/{name}/index.html")}
    sizes = (f"{address} {compressed(path.read_bytes()) / 1000:.0f} kB" for address, path in sorted(prints.items()))
    print(f"  without a limit, for one asks for them: {', '.join(sizes)}\n")
    return too_heavy(heaviest)
