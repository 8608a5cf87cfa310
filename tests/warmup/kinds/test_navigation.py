"""An order of questions that is wrong is a problem, and loses none of them."""

from __future__ import annotations

import pytest

from warmup import checks
from warmup.kinds import levels


def problems(sample) -> list[str]:
    return [str(problem) for problem in checks.problems(levels.load(sample / "docs"), sample / "snippets")]


@pytest.mark.parametrize(
    ("order", "messages"),
    [
        ("thing", ["order is not a list. Write it as order: [one, another]."]),
        ("[thing, 2]", ["order holds 2, which is not a text. Put it into quotes."]),
        ("[[thing]]", ["order holds ['thing'], which is not a text. Put it into quotes."]),
        ("{thing: 1}", ["order is not a list. Write it as order: [one, another]."]),
        ("", ["order does not name 'thing'. Add it where it belongs in the path through autograd."]),
        ("[thing, gone]", ["order names 'gone', which is not a page here. Take it out, or write gone.md."]),
        ("[thing, thing]", ["order names 'thing' more than once. Keep it where it belongs."]),
        ("things", ["order is not a list. Write it as order: [one, another]."]),
    ],
)
def test_no_order_loses_a_question(sample, order, messages):
    index = sample / "docs/mid/autograd/index.md"
    index.write_text(f"---\ntitle: Autograd\norder: {order}\n---\n\nText.\n")
    assert problems(sample) == [f"{index}:3: {message}" for message in messages]
    assert [question.slug for question in levels.load(sample / "docs").levels[1].topics[0].questions] == ["thing"]


def test_topic_index_that_does_not_name_a_page(sample):
    (sample / "docs/mid/autograd/index.md").write_text("---\ntitle: Autograd\norder: [gone]\n---\n\nText.\n")
    found = problems(sample)
    assert any("order names 'gone'" in p for p in found)
    assert any("order does not name 'thing'" in p for p in found)


TABLE = "| 1 | [{}]({}/index.md) | text |\n| 2 | [{}]({}/index.md) | text |\n"


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("autograd", "scaling", []),
        (
            "scaling",
            "autograd",
            [":5: The table of topics has scaling, autograd. nav in mkdocs.yml has autograd, scaling."],
        ),
        ("autograd", "autograd", [":6: The table of topics has autograd, autograd."]),
    ],
)
def test_a_table_of_topics_that_is_not_in_the_order_of_nav(sample, first, second, found):
    index = sample / "docs/mid/index.md"
    index.write_text(f"---\ntitle: Mid\n---\n\n{TABLE.format(first, first, second, second)}")
    nav = ["junior/autograd", "mid/autograd", "mid/scaling", "practice/write", "practice/trainers"]
    messages = [str(one) for one in checks.navigation.problems(nav, levels.load(sample / "docs", nav))]
    assert len(messages) == len(found)
    assert all(message.startswith(f"{index}{start}") for message, start in zip(messages, found, strict=True))


PRACTICE = ["practice/write", "practice/trainers"]


@pytest.mark.parametrize(
    ("nav", "message"),
    [
        ([], ""),
        (["mid/gone"], "nav names docs/mid/gone, which has no pages. Take it out."),
        (["mid/autograd"], "nav names mid/autograd more than once. Keep it where it belongs."),
        (["practice/write"], "nav names practice/write more than once. Keep it where it belongs."),
    ],
)
def test_what_nav_names_too_often_or_in_vain(sample, nav, message):
    whole = [{"Mid": ["junior/autograd", "mid/autograd", "mid/scaling"]}, *PRACTICE, {"More": nav}]
    found = [str(one) for one in checks.navigation.problems(whole, levels.load(sample / "docs"))]
    assert found == [f"mkdocs.yml: {message}"] * bool(message)


def test_what_nav_does_not_name(sample):
    found = [
        str(one) for one in checks.navigation.problems(["mid/autograd", "mid/scaling"], levels.load(sample / "docs"))
    ]
    assert found == [
        "mkdocs.yml: nav does not name the topic junior/autograd. Add '- junior/autograd' under its level.",
        "mkdocs.yml: nav does not name practice/trainers. Add '- practice/trainers' under Practice.",
        "mkdocs.yml: nav does not name practice/write. Add '- practice/write' under Practice.",
    ]
