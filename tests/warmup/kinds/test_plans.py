"""Plans: the site's order, two weeks have the whole level, days have about equal shares."""

from __future__ import annotations

import pytest

from warmup.kinds import levels, navigation, plans

SITE = levels.load(topic_order=navigation.topic_order(navigation.read()))


def test_each_level_has_the_three_plans_and_each_longer_one_has_what_the_shorter_has():
    found = {plan.id: plan for plan in plans.plans(SITE)}
    assert list(found) == [f"{time}-{level.slug}" for level in SITE.levels for time in plans.TIMES]
    for level in SITE.levels:
        hours, days, weeks = ({q.id for q in found[f"{time}-{level.slug}"].questions} for time in plans.TIMES)
        assert hours < days <= weeks >= {question.id for question in level.questions}
        everything = {page.id for page in SITE.drills if page.level == level.slug}
        assert everything <= {page.id for page in found[f"weeks-{level.slug}"].drills}


@pytest.mark.parametrize("plan", plans.plans(SITE), ids=lambda plan: plan.id)
def test_a_plan_has_the_order_of_the_site_and_its_days_have_about_equal_shares(plan):
    assert plan.questions == [question for question in SITE.questions if question in plan.questions]
    assert plan.minutes == sum(part.minutes for part in plan.parts) >= plan.reading + plan.speaking
    assert len(plan.parts) == (plans.TIMES[plan.time][1] or 1)
    if plan.time != "hours":
        assert all(part.flashcards for part in plan.parts) and plan.parts[-1].mock
        shares = [part.minutes - (part.mock.minutes if part.mock else 0) for part in plan.parts]
        longest = max(page.minutes for page in plan.drills) + max(q.reading + q.minutes for q in plan.questions)
        assert max(shares) - min(shares) <= 2 * longest


def test_two_weeks_of_the_senior_level_practice_each_of_its_rounds():
    found = {plan.id: [part.mock.format for part in plan.parts if part.mock] for plan in plans.plans(SITE)}
    assert found["weeks-senior"] == ["senior", "design", "behavioral", "design", "senior"]
    assert found["days-senior"] == ["senior"] and {*found["weeks-mid"]} == {"mid"}


@pytest.mark.parametrize("plan", plans.plans(SITE), ids=lambda plan: plan.id)
def test_code_is_written_after_its_questions_were_read(plan):
    day_of = {question.id: day for day, part in enumerate(plan.parts) for question in part.questions}
    for day, part in enumerate(plan.parts):
        for page in part.drills:
            assert max((day_of.get(question.id, 0) for question in page.related), default=0) <= day, page.id
            if plan.time == "weeks":
                assert page.level == plan.level.slug
            if len(plan.parts) > 2 and not any(question.id in day_of for question in page.related):
                assert day >= len(plan.parts) // 2, page.id
    assert len(plan.drills) == len({page.id for page in plan.drills})


def test_a_single_sitting_ends_with_the_sheet_and_a_round_of_puzzles():
    for plan in plans.plans(SITE):
        ends = [(part.sheet, part.puzzles) for part in plan.parts]
        assert ends == ([(plans.SHEET, plans.PUZZLES)] if plan.time == "hours" else [(0, 0)] * len(plan.parts))


def test_what_is_dealt_keeps_its_order_and_loses_nothing():
    assert plans._dealt("abcdef", [1, 1, 1, 1, 1, 1], 3) == [["a", "b"], ["c", "d"], ["e", "f"]]
    assert plans._dealt("abc", [9, 1, 1], 2) == [["a"], ["b", "c"]]
    assert plans._dealt("", [], 2) == [[], []]


@pytest.mark.parametrize(
    ("minutes", "exact", "rough"),
    [(45, "45 min", "45 min"), (120, "2 h", "2 h"), (112, "1 h 52 min", "1 h 52 min"), (700, "11 h 40 min", "12 h")],
)
def test_minutes_as_people_write_them(minutes, exact, rough):
    assert (plans.as_time(minutes), plans.as_time(minutes, roughly=True)) == (exact, rough)
