"""What tests of the interviewer kit do on the page."""

from __future__ import annotations

import io
import json
import unicodedata
from pathlib import Path

import pypdf
from playwright.sync_api import expect

from warmup.kinds import levels

PAGE = "practice/interview-kit/"
SITE = levels.load()
MID = [q for q in SITE.questions if q.level == "mid"]
SIX = [q.id for q in MID[::14][:6]]
EXERCISE = SITE.exercises[0]
TITLES = {one.id: one.title for one in (*SITE.questions, *SITE.exercises)}


def of(*ids: str) -> str:
    """The address of a kit of these questions."""
    return f"{PAGE}?questions={','.join(ids)}"


def chosen(page):
    return page.locator(".tw-kit__chosen > li")


def order(page) -> list[str]:
    """The ids of the chosen questions."""
    ids = {title: name for name, title in TITLES.items()}
    return [ids[title] for title in chosen(page).locator(".tw-kit__line").all_inner_texts()]


def total(ids: list[str]) -> int:
    """The minutes of these questions, with two follow-ups each."""
    return sum(SITE.by_id[name].minutes + 2 for name in ids)


def asked_for(page) -> list[str]:
    """The names of the kit's own files that the page has loaded so far."""
    return page.evaluate("""() => performance.getEntriesByType("resource").map(one => new URL(one.name).pathname)
        .filter(path => path.endsWith(".json") && path.includes("interview-kit")).map(path => path.split("/").pop())""")


def complete(page) -> None:
    """Wait until all that is printed is there."""
    expect(page.locator(".tw-kit-paper")).to_have_attribute("aria-busy", "false")


def printed(page, paper: str = "A4") -> list[str]:
    """The text of each page that Chromium prints."""
    complete(page)
    found = pypdf.PdfReader(io.BytesIO(page.pdf(format=paper)))
    return [unicodedata.normalize("NFKC", one.extract_text()) for one in found.pages]  # without ligatures


def on_paper(site: Path) -> dict[str, list[dict]]:
    """The follow-ups of all levels as they are printed, by the question's id."""
    files = (site / f"practice/interview-kit/{level.slug}.json" for level in SITE.levels)
    return {name: asked for file in files for name, asked in json.loads(file.read_text("utf-8"))["next"].items()}
