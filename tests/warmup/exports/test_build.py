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
    again = {name: replace(shown) for name, shown in build.contents.items()}
    assert again == build.contents
    assert [made(contents=again), made(contents=again), made("other", again)] == [3, 3, 4]


def test_an_address_is_absolute_where_the_site_has_one(build):
    assert build.link("junior/topic/")("mid/x/#why") == "../../mid/x/#why"
    assert replace(build, site_url="https://host/").link("junior/topic/")("mid/x/#why") == "https://host/mid/x/#why"
