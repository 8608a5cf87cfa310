"""What is made once of a question, and when again."""

from __future__ import annotations

from dataclasses import replace

import pytest


@pytest.fixture
def made(build):
    """Makes something of the question in one more build; gives how often it was made."""
    times = []

    def made(name: str = "thing", contents=build.contents) -> int:
        (question,) = build.site.questions
        replace(build, contents=contents).remembered(name, question, times.append)
        return len(times)

    return made


def test_what_is_made_of_a_question_is_kept_until_its_page_is_rendered_again(build, made):
    assert [made(), made(), made("other"), made("other")] == [1, 1, 2, 2]
    again = {name: "".join(list(content)) for name, content in build.contents.items()}
    assert again == build.contents
    assert [made(contents=again), made(contents=again), made("other", again)] == [3, 3, 4]


def test_an_address_is_absolute_where_the_site_has_one(build):
    assert build.link("junior/topic/")("mid/x/#why") == "../../mid/x/#why"
    assert replace(build, site_url="https://host/").link("junior/topic/")("mid/x/#why") == "https://host/mid/x/#why"


def test_a_question_is_expanded_with_all_that_its_front_matter_says(build):
    (question,) = build.site.questions
    expanded = build.expanded(question)
    assert (expanded.id, expanded.meta) == (question.id, question.meta)
    assert [section.title for section in expanded.sections] == [section.title for section in question.sections]
    assert "print(1)" in expanded.section("Run it").text


def test_a_question_whose_snippet_is_missing_is_not_expanded(build):
    (build.renderer.snippets / "junior/topic/thing.py").unlink()
    (question,) = build.site.questions
    assert build.expanded(question) is None
