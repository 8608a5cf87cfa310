"""The Markdown copies of the built site, and the button that copies one."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from warmup.content import outputs
from warmup.kinds import levels
from warmup.project import SNIPPETS

SITE = levels.load()
QUESTION = "junior/autograd/zero-grad"
FENCE = re.compile(r"^(`{3,}).*\n(?:.*\n)*?\1$", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_each_page_names_its_copy(site, copies):
    named = set()
    for path in site.rglob("index.html"):
        for link in re.findall(r'<link rel="alternate" type="text/markdown" href="([^"]*)">', path.read_text("utf-8")):
            named.add((path.parent / link).resolve().relative_to(site.resolve()).as_posix())
    assert named == set(copies)
    assert {f"{q.id}.md" for q in SITE.questions} < named
    assert {f"{level.slug}.md" for level in SITE.levels} < named
    assert {f"{page.id}.md" for page in SITE.drills} | {"practice/write.md", "practice/trainers.md"} < named


def test_a_copy_is_plain_markdown_whose_links_all_lead_somewhere(site, copies, base, leads_nowhere):
    wrong = []
    for name, text in copies.items():
        prose = FENCE.sub("", text)
        wrong += [f"{name}: {found}" for found in re.findall(r"^\s*\?\?\? .*|<!--.*|^\s*--8<--.*|<div.*", prose, re.M)]
        wrong += [f"{name}: {formula}" for formula in re.findall(r"\\[(\[].*", re.sub(r"`[^`]*`|\\\[|\\\]", "", prose))]
        for link in LINK.findall(prose):
            if not link.startswith("https://") or link.startswith(base) and leads_nowhere(link):
                wrong.append(f"{name}: {link}")
    assert not wrong, "\n".join(wrong)


def test_a_copy_has_all_that_the_page_shows(copies):
    for question in SITE.questions:
        text = copies[f"{question.id}.md"]
        assert text.startswith("# ")
        assert f"{question.kind_label} · {question.minutes} min aloud" in text
        assert re.findall(r"^## (.*)", FENCE.sub("", text), re.M) == [
            *[": ".join(filter(None, (section.title, section.fact))) for section in question.sections],
            *(["Related"] if question.related or question.practice else []),
        ]
        for include in question.includes:
            file = SNIPPETS / include.path
            if include.path.endswith(".out") and file.exists():
                assert f"```text\n{outputs.read(file).text.rstrip()}\n```" in text, include.path
            elif include.path.endswith(".py"):
                assert file.read_text(encoding="utf-8").rstrip().rpartition("# ///\n")[2] in text


def test_a_copy_of_an_exercise_or_a_trainer_has_all_that_the_page_shows(copies, base):
    for page in SITE.drills:
        text = copies[f"{page.id}.md"]
        assert f"{page.level_label} · {page.label_of_all}" in text
        assert re.findall(r"^## (.*)", FENCE.sub("", text), re.M) == [*page.sections_of_all, "Related"]
        for name in (page.start, page.judge):
            assert f"]({base}snippets/{name})" in text
        assert (SNIPPETS / page.start).read_text(encoding="utf-8").rstrip().rpartition("# ///\n")[2].strip() in text
        assert text.count("```diff\n") == len(page.mistakes(SNIPPETS))
        for question in page.related:
            assert f"- {page.invitation}: [" in copies[f"{question.id}.md"]


def test_the_copies_of_the_overviews_list_all(copies, base):
    for name, pages in (("write", SITE.exercises), ("trainers", SITE.trainers)):
        items = re.findall(r"^- \[.+\]\((.+)\.md\): \w+, \d+ min$", copies[f"practice/{name}.md"], re.M)
        assert set(items) == {base + page.id for page in pages} and len(items) == len(pages)


def test_the_copy_of_a_topic_lists_its_questions_and_that_of_a_level_all_of_them(copies, base):
    for level in SITE.levels:
        for part in (level, *level.topics):
            items = re.findall(r"^- \[.+\]\((.+)\.md\): \w+, \d+ min$", copies[f"{part.url.rstrip('/')}.md"], re.M)
            assert len(items) == len(part.questions)
            assert set(items) == {base + question.id for question in part.questions}


def test_copy_as_markdown_copies_the_file_and_says_so(open_page, copies):
    page = open_page(f"{QUESTION}/", permissions=["clipboard-read", "clipboard-write"])
    button, status = page.get_by_role("button", name="Copy as Markdown"), page.locator(".tw-copy").get_by_role("status")
    button.focus()
    page.keyboard.press("Enter")
    expect(status).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == copies[f"{QUESTION}.md"]
    expect(button).to_be_focused()
    expect(status).to_have_text("")


def test_what_is_copied_has_no_relative_link(open_page):
    """As in a site that is built without its address."""
    page = open_page(f"{QUESTION}/", permissions=["clipboard-read", "clipboard-write"])
    folder = page.url.removesuffix("zero-grad/")
    code = "````text\n```\n[c](d.md)\n```\n````\n\n`[e](f.md)` and `` `[g](h.md) ``"
    text = f"[a](no-grad.md#why), [b](../../index.md)\n\n{code}\n\n[i](https://example.com/j.md) [k](l.py)\n"
    page.route("**/zero-grad.md", lambda route: route.fulfill(body=text))
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.locator(".tw-copy").get_by_role("status")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    root = folder.removesuffix("junior/autograd/")
    links = f"[i](https://example.com/j.md) [k]({folder}l.py)"
    assert copied == f"[a]({folder}no-grad.md#why), [b]({root}index.md)\n\n{code}\n\n{links}\n"


def test_without_a_clipboard_the_copy_opens(open_page, copies):
    page = open_page(f"{QUESTION}/")
    page.evaluate("() => { navigator.clipboard.write = () => Promise.reject(new Error('denied')) }")
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page).to_have_url(re.compile(rf"{QUESTION}\.md$"))
    assert page.locator("body").inner_text().startswith("# ")


def test_without_javascript_the_copy_is_a_link(open_page):
    page = open_page(f"{QUESTION}/", javascript=False)
    page.get_by_role("link", name="View as Markdown").click()
    expect(page).to_have_url(re.compile(rf"{QUESTION}\.md$"))
