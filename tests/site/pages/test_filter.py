"""The filter of the list of questions: levels, topics, words, counts, and options that would give nothing."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from warmup.kinds import levels, navigation
from warmup.vocabulary import KINDS

SITE = levels.load(topic_order=navigation.topic_order(navigation.read()))


def test_words_in_title_tags_and_name_filter_and_stay_in_the_address(open_page):
    page = open_page("questions/?level=junior")
    rows = page.locator(".tw-question:visible")
    field = page.get_by_role("searchbox", name="Words in title, tags or other names")
    field.press_sequentially("ZERO-grad forget")
    expect(rows).to_have_text([re.compile("zero_grad")])
    expect(page).to_have_url(re.compile(r"\?text=ZERO-grad\+forget&level=junior$"))
    rows.locator("a").click()
    expect(page.locator("h2#say-it")).to_be_visible()
    page.go_back()
    expect(field).to_have_value("ZERO-grad forget")
    expect(rows).to_have_count(1)
    page.reload()
    expect(rows).to_have_count(1)
    tagged = [q for q in SITE.questions if "learning rate" in q.tags and q.level == "junior"]
    field.fill("learning rate")
    expect(rows.filter(has_text=tagged[0].title)).to_have_count(1)
    field.fill("batchnorm")  # an alias: its title and tags say "batch norm"
    expect(rows.locator("a[href$='/batch-norm/']")).to_be_visible()
    field.fill("no such words")
    expect(page.locator(".tw-filter output")).to_have_text("No question matches. Take one filter away.")
    page.get_by_role("button", name="Show all").click()
    expect(rows).to_have_count(len(SITE.questions))
    expect(field).to_have_value("")


def test_an_option_says_how_many_it_gives_and_cannot_be_chosen_if_none(open_page):
    page = open_page("questions/?level=senior")
    options = page.locator("option").evaluate_all(
        "all => all.filter(one => one.value)"
        ".map(one => [one.closest('select').name, one.value, one.text, one.disabled])"
    )
    for name, value, text, disabled in options:
        chosen = SITE.questions if name == "level" else [q for q in SITE.questions if q.level == "senior"]
        keys = {
            "level": lambda q: [q.level],
            "topic": lambda q: [f"{q.level}/{q.topic}"],
            "kind": lambda q: [q.kind],
            "tag": lambda q: q.tags,
        }
        count = sum(value in keys[name](q) for q in chosen)
        assert text.endswith(f" ({count})") and disabled is (count == 0), (name, value, text)
    assert any(disabled for *_, disabled in options) and len(options) > len(KINDS)
    names = page.locator("select[name=tag] option").evaluate_all("all => all.slice(1).map(one => one.value)")
    assert names == sorted(names, key=str.casefold) and len(names) < 100


def test_a_tag_of_a_single_question_becomes_words(open_page):
    only, rare = next((one, tag) for one in reversed(SITE.questions) for tag in one.tags if tag not in SITE.tags)
    page = open_page(f"questions/?tag={rare}")
    expect(page.get_by_role("searchbox")).to_have_value(rare)
    expect(page.locator(".tw-question:visible").filter(has_text=only.title)).to_have_count(1)
    assert page.locator(".tw-question:visible").count() < 10


def test_what_is_shown_becomes_a_kit_or_is_chosen_from(open_page, address):
    page = open_page("questions/?level=senior&kind=debugging")
    ids = [q.id for q in SITE.questions if (q.level, q.kind) == ("senior", "debugging")]
    kit = f"{address}practice/interview-kit/"
    link = page.get_by_role("link", name=re.compile("interview kit"))
    expect(link).to_have_js_property("href", f"{kit}?questions={','.join(ids)}")
    page.locator("select[name=level]").select_option("mid")
    page.locator("select[name=kind]").select_option("")
    expect(link).to_have_text("Choose some of these for an interview kit")
    expect(link).to_have_js_property("href", f"{kit}?level=mid")


def test_other_names_are_loaded_once_somebody_types_and_titles_are_searched_without_them(open_page):
    page = open_page("questions/?level=junior")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("words.json") else None)
    page.route("**/words.json", lambda route: route.fulfill(status=404), times=1)
    told, rows = page.locator(".tw-filter output"), page.locator(".tw-question:visible")
    field = page.get_by_role("searchbox")
    page.locator("select[name=kind]").select_option("concept")
    expect(told).to_have_text(re.compile(r"^\d+ of \d+ questions$"))
    assert not asked
    field.fill("batchnorm")
    expect(told).to_have_text(re.compile("^No question matches.* Only titles were searched"))
    field.fill("tensor parameter")  # of which a title has both
    expect(told).to_have_text(re.compile(r"^[1-9]\d* of .* Only titles were searched"))
    field.blur()
    field.focus()  # tries again
    field.fill("batchnorm")
    expect(rows.locator("a[href$='/batch-norm/']")).to_be_visible()
    expect(told).to_have_text(re.compile(r"^\d+ of \d+ questions$"))
    assert len(asked) == 2


def test_filter_narrows_the_list_and_keeps_the_choice_in_the_address(open_page):
    page = open_page("questions/")
    rows = page.locator(".tw-question:visible")
    expect(rows).to_have_count(len(SITE.questions))
    page.locator("select[name=level]").select_option("senior")
    seniors = [q for q in SITE.questions if q.level == "senior"]
    expect(rows).to_have_count(len(seniors))
    expect(page).to_have_url(re.compile(r"\?level=senior$"))
    page.locator("select[name=kind]").select_option("design")
    expect(rows).to_have_count(sum(q.kind == "design" for q in seniors))
    expect(page.locator(".tw-filter output")).to_contain_text(f"of {len(SITE.questions)} questions")
    page.reload()
    expect(page.locator("select[name=kind]")).to_have_value("design")
    expect(rows).to_have_count(sum(q.kind == "design" for q in seniors))
    page.get_by_role("button", name="Show all").click()
    expect(rows).to_have_count(len(SITE.questions))
    expect(page).not_to_have_url(re.compile(r"\?"))


def test_filter_by_topic_and_tag_from_the_address(open_page):
    tag = SITE.questions[0].tags[0]
    page = open_page(f"questions/?tag={tag}")
    expect(page.locator(".tw-question:visible")).to_have_count(sum(tag in q.tags for q in SITE.questions))
    page = open_page("questions/?topic=junior/autograd")
    expect(page.locator(".tw-question:visible")).to_have_count(
        sum((q.level, q.topic) == ("junior", "autograd") for q in SITE.questions)
    )


def test_filter_ignores_what_the_address_invents(open_page):
    page = open_page("questions/?level=wizard&kind=%3Cscript%3E&unknown=1")
    expect(page.locator(".tw-question:visible")).to_have_count(len(SITE.questions))
