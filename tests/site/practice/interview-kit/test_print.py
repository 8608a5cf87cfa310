"""What Chromium prints of an interviewer kit: no question is left over on a page of its own."""

from __future__ import annotations

import pytest

from kit_page import EXERCISE, MID, PAGE, SIX, TITLES, of, printed

PARTED = """async sets => {
    const { parted } = await import(new URL("../../assets/javascripts/practice/interview-kit/list.js", location.href))
    return sets.map(([heights, room]) => parted(heights, room))
}"""


def questions(text: str, ids: list[str]) -> list[int]:
    """The numbers of the questions on a printed page."""
    words = "".join(text.split())
    return [number for number, name in enumerate(ids, 1) if "".join(f"{number}.{TITLES[name]}".split()) in words]


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_no_question_of_the_candidate_is_left_alone_on_a_page(open_page, paper):
    page = open_page(PAGE)
    for count, expected in ((1, [1]), (5, [5]), (6, [3, 3]), (11, [4, 4, 3])):
        ids = [q.id for q in MID[::9][:count]]
        page.goto(page.url.split("practice/")[0] + of(*ids))
        page.get_by_text("For the candidate", exact=True).click()
        found = [questions(text, ids) for text in printed(page, paper)]
        assert [number for numbers in found for number in numbers] == list(range(1, count + 1)), found
        assert sorted(map(len, found), reverse=True) == expected, found
        assert found[-1] != [count] or count == 1


def test_each_page_of_the_interviewer_has_one_question_with_its_score_and_notes(open_page):
    page = open_page(of(*SIX))
    for paper in ("A4", "Letter"):
        for number, text in enumerate(printed(page, paper), 1):
            assert f"{number} of 6" in text
            for expected in ("LISTENING FOR", "SCORE", "NOTES", "Candidate"):
                assert expected in text.upper().replace("CANDIDATE", "Candidate"), (number, expected)


def test_exercises_and_questions_of_the_candidate_stand_on_whole_pages(open_page):
    ids = [SIX[0], EXERCISE.id, *SIX[1:3]]
    page = open_page(of(*ids))
    page.get_by_text("For the candidate", exact=True).click()
    found = [questions(text, ids) for text in printed(page)]
    assert [number for numbers in found for number in numbers] == [1, 2, 3, 4]
    assert len(found[-1]) > 1


def test_every_exercise_of_the_candidate_fits_on_a_page(open_page):
    page = open_page(PAGE)
    page.get_by_text("No question is chosen yet.").wait_for()
    assert not page.evaluate("""async () => {
        const of = name => import(new URL(`../../assets/javascripts/practice/interview-kit/${name}.js`, location.href))
        const material = await (await of("material")).load()
        const box = document.querySelector("article").appendChild(document.createElement("div"))
        const ids = [...material.byId.keys()].filter(id => id.startsWith("practice/"))
        await material.complete(ids)
        ;(await of("paper")).preparePaper(box, material, Object.assign(new EventTarget(), { ids })).choose("candidate")
        dispatchEvent(new Event("beforeprint"))
        return [...box.nextElementSibling.children].filter(one => one.scrollHeight > one.clientHeight + 1)
            .map(one => `${one.querySelector("strong").textContent} ${one.scrollHeight} of ${one.clientHeight}`)
    }""")


@pytest.mark.parametrize(
    ("heights", "pages"),
    [
        ([2] * 6, [3, 3]),
        ([2] * 5, [5]),
        ([2] * 11, [4, 4, 3]),
        ([9, 2], [1, 1]),  # each has its page
        ([8, 2, 2], [1, 2]),
        ([2, 2, 2, 2, 6], [4, 1]),  # not a short one
        ([14, 2, 2], [1, 2]),  # higher than a page
        ([2, 2, 6, 6, 2], [3, 2]),
        ([], []),
    ],
)
def test_a_list_is_parted_into_few_pages_without_a_short_one_alone(open_page, heights, pages):
    [found] = open_page(PAGE).evaluate(PARTED, [[heights, 10]])
    assert [number for one in found for number in one] == list(range(len(heights)))
    assert [len(one) for one in found] == pages
