"""What the site offers to programs and to paper: Markdown copies, llms.txt, questions.json, print views, a PDF."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest
from playwright.sync_api import expect

from warmup.content import levels, outputs
from warmup.exports import copies as written
from warmup.project import SNIPPETS
from warmup.testing import PREFIX

BASE = f"https://example.com{PREFIX}"
SITE = levels.load()
SMALLEST = min(SITE.levels, key=lambda level: len(level.questions))
QUESTION = "junior/autograd/zero-grad"
FENCE = re.compile(r"^(`{3,}).*\n(?:.*\n)*?\1$", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def copies(site) -> dict[str, str]:
    """The Markdown copies by their addresses."""
    return {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.md"))}


@pytest.fixture(scope="module")
def data(site) -> dict:
    return json.loads((site / "questions.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def validator(site) -> jsonschema.Draft202012Validator:
    published = json.loads((site / "questions.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    return jsonschema.Draft202012Validator(published)


def leads_nowhere(site, link: str) -> bool:
    path = link.partition("#")[0].removeprefix(BASE)
    return not (site / path / "index.html" if path.endswith("/") or not path else site / path).is_file()


def test_each_page_names_its_copy(site, copies):
    named = set()
    for path in site.rglob("index.html"):
        for link in re.findall(r'<link rel="alternate" type="text/markdown" href="([^"]*)">', path.read_text("utf-8")):
            named.add((path.parent / link).resolve().relative_to(site.resolve()).as_posix())
    assert named == set(copies)
    assert {f"{q.id}.md" for q in SITE.questions} < named
    assert {f"{level.slug}.md" for level in SITE.levels} < named


def test_a_copy_is_plain_markdown_whose_links_all_lead_somewhere(site, copies):
    wrong = []
    for name, text in copies.items():
        prose = FENCE.sub("", text)
        wrong += [f"{name}: {found}" for found in re.findall(r"^\s*\?\?\? .*|<!--.*|^\s*--8<--.*|<div.*", prose, re.M)]
        wrong += [f"{name}: {formula}" for formula in re.findall(r"\\[(\[].*", re.sub(r"`[^`]*`|\\\[|\\\]", "", prose))]
        for link in LINK.findall(prose):
            if not link.startswith("https://") or link.startswith(BASE) and leads_nowhere(site, link):
                wrong.append(f"{name}: {link}")
    assert not wrong, "\n".join(wrong)


def test_a_copy_has_all_that_the_page_shows(copies):
    for question in SITE.questions:
        text = copies[f"{question.id}.md"]
        assert text.startswith("# ")
        assert f"{question.kind_label} · {question.minutes} min aloud" in text
        assert re.findall(r"^## (.*)", FENCE.sub("", text), re.M) == [
            *[section.title for section in question.sections],
            *(["Related"] if question.related else []),
        ]
        for include in question.includes:
            file = SNIPPETS / include.path
            if include.path.endswith(".out") and file.exists():
                assert f"```text\n{outputs.read(file).text.rstrip()}\n```" in text, include.path
            elif include.path.endswith(".py"):
                assert file.read_text(encoding="utf-8").rstrip().rpartition("# ///\n")[2] in text


def test_the_copy_of_a_topic_lists_its_questions_and_that_of_a_level_all_of_them(copies):
    for level in SITE.levels:
        for part in (level, *level.topics):
            items = re.findall(r"^- \[.+\]\((.+)\.md\): \w+, \d+ min$", copies[f"{part.url.rstrip('/')}.md"], re.M)
            assert len(items) == len(part.questions)
            assert set(items) == {BASE + question.id for question in part.questions}


def test_llms_txt_has_the_form_and_every_question_once_in_order(site):
    text = (site / "llms.txt").read_text(encoding="utf-8")
    assert re.match(r"# .+\n\n> .+\n\n", text)
    sections = re.split(r"^## .+\n", text, flags=re.M)
    assert len(sections) > sum(len(level.topics) for level in SITE.levels)
    for line in "\n".join(sections[1:]).split("\n"):
        assert re.fullmatch(r"(- \[.+\]\(https://[^)\s]+\)(: .+)?)?", line), line
    links = LINK.findall(text)
    assert not [link for link in links if leads_nowhere(site, link)]
    ids = [link.removeprefix(BASE).removesuffix(".md") for link in links]
    assert len(ids) == len(set(ids))
    assert set(SITE.by_id) <= set(ids)
    for level in SITE.levels:
        for topic in level.topics:
            assert [id_ for id_ in ids if id_.startswith(topic.url)] == [q.id for q in topic.questions]


def test_questions_json_matches_its_schema(data, validator):
    validator.validate(data)
    assert data["$schema"] == f"{BASE}questions.schema.json"


@pytest.mark.parametrize(
    "break_it",
    [
        lambda data: data.update(extra=1),
        lambda data: data.update(version=2),
        lambda data: data["questions"][0].update(extra=1),
        lambda data: data["questions"][0].pop("say_it"),
        lambda data: data["questions"][0].update(level="wizard"),
        lambda data: data["questions"][0]["snippets"][0].update(extra=1),
        lambda data: data["questions"][0]["listening_for"].pop("weak"),
        lambda data: data["questions"][0]["follow_ups"][0].update(answer=""),
    ],
)
def test_the_schema_refuses_what_it_does_not_know(data, validator, break_it):
    broken = json.loads(json.dumps(data))
    break_it(broken)
    assert not validator.is_valid(broken)


def test_questions_json_says_what_the_pages_say(site, data, copies):
    # Topics are in the order of the navigation, which levels.load() is not told here.
    assert len(data["questions"]) == len(SITE.by_id)
    assert {record["id"] for record in data["questions"]} == set(SITE.by_id)
    for record in data["questions"]:
        question = SITE.by_id[record["id"]]
        assert (record["title"], record["tags"], record["minutes"]) == (question.title, question.tags, question.minutes)
        assert record["url"] == BASE + question.url
        text = copies[record["markdown"].removeprefix(BASE)]
        assert record["say_it"] in text
        asked = re.findall(r'^\?\?\?\+? question "(.+)"$', question.section("They ask next").text, re.M)
        assert [fold["question"] for fold in record["follow_ups"]] == asked
        assert all(fold["answer"] in text for fold in record["follow_ups"])
        assert all(sentence for sentence in record["listening_for"].values())
        for snippet in record["snippets"]:
            file = SNIPPETS / snippet["path"]
            assert snippet["code"] == file.read_text(encoding="utf-8")
            recorded = file.with_suffix(".out").exists()
            assert (snippet["output"] is not None) is (snippet["recorded"] is not None) is recorded
            assert not recorded or file.with_suffix(".out").read_text(encoding="utf-8").endswith(snippet["output"])


def test_the_page_about_the_data_lists_the_files_and_the_fields(site, validator):
    text = (site / "about/data/index.html").read_text(encoding="utf-8")
    for file in (written.LLMS, written.QUESTIONS, written.SCHEMA):
        assert f'href="../../{file}"' in text
    for name in validator.schema["properties"]["questions"]["items"]["properties"]:
        assert f"<code>questions[].{name}</code>" in text


def test_copy_as_markdown_copies_the_file_and_says_so(open_page, copies):
    page = open_page(f"{QUESTION}/", permissions=["clipboard-read", "clipboard-write"])
    button, status = page.get_by_role("button", name="Copy as Markdown"), page.locator(".tw-copy").get_by_role("status")
    button.focus()
    page.keyboard.press("Enter")
    expect(status).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == copies[f"{QUESTION}.md"]
    expect(button).to_be_focused()
    expect(status).to_have_text("")


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
