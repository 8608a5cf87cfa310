"""What stands for the markers on the pages of exercises and trainers, and the lists of them."""

from __future__ import annotations

import re

import markdown as python_markdown
import pytest
from bs4 import BeautifulSoup

from warmup.kinds import levels
from warmup.project import ProblemError
from warmup.site import blocks, nav
from warmup.site.expand import Renderer


@pytest.fixture
def renderer(sample) -> Renderer:
    return Renderer(levels.load(sample / "docs"), sample)


def expanded(renderer: Renderer, name: str) -> str:
    page = renderer.site.drills_by_id[name]
    return renderer.expand("\n".join(line.text for line in page.lines), page.url, page.path)


def html_of(renderer: Renderer, text: str) -> BeautifulSoup:
    """What the site's Markdown makes of it."""
    fences = blocks.fences(lambda name: None, renderer.snippets)
    made = python_markdown.markdown(
        text,
        extensions=["pymdownx.details", "pymdownx.superfences", "md_in_html"],
        extension_configs={"pymdownx.superfences": {"custom_fences": fences}},
    )
    return BeautifulSoup(made, "html.parser")


def test_the_box_of_an_exercise_is_complete_and_has_what_a_script_needs(renderer):
    page = html_of(renderer, expanded(renderer, "practice/write/add"))
    [box] = page.select("[data-exercise]")
    root = "../../../snippets/practice/write/add"
    assert box["data-exercise"] == "add" and box["data-minutes"] == "5"
    assert box["data-starter"] == f"{root}/starter.py"
    assert [link["href"] for link in box.select("a[download]")] == [f"{root}/starter.py", f"{root}/judge.py"]
    assert box.select_one("pre code").get_text() == "python judge.py starter.py"
    assert "5 minutes" in box.get_text() and "make write Q=add" in box.get_text()
    assert not box.select_one(".tw-attempt__tools").get_text()


def test_the_box_of_a_trainer_says_nothing_of_its_bugs(renderer):
    page = html_of(renderer, expanded(renderer, "practice/trainers/stands-still"))
    [box] = page.select("[data-trainer]")
    assert box["data-trainer"] == "stands-still" and box["data-starter"].endswith("stands-still/broken.py")
    assert box.select_one("pre code").get_text() == "python check.py broken.py"
    assert "bug" not in box.get_text() and "fixed" not in str(box)


@pytest.mark.parametrize(
    ("page", "here", "elsewhere"),
    [
        ("practice/write/add", "press Judge. Or download", "to write and judge your solution in it"),
        ("practice/trainers/stands-still", "press Check. Or download", "to fix and check the script in it"),
    ],
)
def test_the_box_says_where_an_attempt_can_be_judged(renderer, page, here, elsewhere):
    [box] = html_of(renderer, expanded(renderer, page)).select(".tw-try")
    assert elsewhere in box.get_text() and here not in box.get_text()
    assert box.select("a")[-1]["href"] == "../../../about/live/"
    renderer.judged = lambda one: one.id == page
    [box] = html_of(renderer, expanded(renderer, page)).select(".tw-try")
    assert here in box.get_text() and elsewhere not in box.get_text()


def test_the_mistakes_stand_in_the_fold_of_the_solution_with_their_difference(renderer):
    page = html_of(renderer, expanded(renderer, "practice/write/add"))
    fold = page.select_one("details.example")
    assert "A minus subtracts." in [p.get_text() for p in fold.select("p")]
    [diff] = fold.select("pre.tw-diff")
    assert diff.select_one("del").get_text() == "-    total = a + b"
    assert diff.select_one("ins").get_text() == "+    total = a - b"
    assert "subtracts" not in diff.get_text()
    assert not page.select("pre.tw-diff")[1:]


def test_a_bug_has_its_name_its_line_and_its_difference(renderer):
    page = html_of(renderer, expanded(renderer, "practice/trainers/stands-still"))
    fold = page.select_one("details.example")
    assert fold.select_one("strong").get_text() == "Line 5: The step is zero."
    assert [one.get_text() for one in fold.select(".tw-diff :is(del, ins)")] == [
        "-        place += 0",
        "+        place += 1",
    ]
    assert fold.select_one("a")["href"] == "../../snippets/practice/trainers/stands-still/fixed.py"


def test_the_line_of_a_bug_is_that_of_the_downloaded_file(sample):
    labelled = Renderer(levels.load(sample / "docs"), sample, label=lambda name: "# One.\n# Two.\n\n")
    assert "Line 8: The step is zero." in expanded(labelled, "practice/trainers/stands-still")


@pytest.mark.parametrize("name", ["attempt", "mistakes", "check", "bugs"])
@pytest.mark.parametrize("page", ["junior/autograd/thing", "practice/write/add", "practice/trainers/stands-still"])
def test_a_marker_on_a_page_of_another_kind_is_a_problem(renderer, name, page):
    where = renderer.docs / f"{page}.md"
    kind = "write" if name in ("attempt", "mistakes") else "trainers"
    if kind in page:
        assert renderer.expand(f"<!-- warmup:{name} -->", f"{page}/", where)
    else:
        with pytest.raises(ProblemError, match=f"warmup:{name} belongs on a page of"):
            renderer.expand(f"<!-- warmup:{name} -->", f"{page}/", where)


@pytest.mark.parametrize(
    ("page", "file"),
    [
        ("practice/write/add", "write/add/solution.py"),
        ("practice/trainers/stands-still", "trainers/stands-still/broken.py"),
    ],
)
@pytest.mark.parametrize("text", [b"\xff", b"def ("])
def test_a_damaged_file_is_a_problem_where_it_would_be_shown(renderer, page, file, text):
    (renderer.snippets / "practice" / file).write_bytes(text)
    name = "mistakes" if "write" in page else "bugs"
    with pytest.raises(ProblemError, match=f"What stands for warmup:{name} cannot be made"):
        renderer.expand(f"<!-- warmup:{name} -->", f"{page}/", renderer.docs / f"{page}.md")


@pytest.mark.parametrize(("under", "heading", "name"), [("", "h2", "Add two numbers."), (" under=h3", "h3", "Add")])
def test_the_list_of_exercises_is_by_topic_and_says_level_and_minutes(renderer, under, heading, name):
    text = renderer.expand(f"<!-- warmup:exercises{under} -->", "practice/write/", renderer.docs / "practice/x.md")
    found = BeautifulSoup(text, "html.parser")
    assert [one.get_text() for one in found.select(heading)] == ["Layers"]
    [item] = found.select("li")
    assert (item["data-exercise"], item["data-level"], item["data-minutes"]) == ("add", "junior", "5")
    assert (item.a["href"], item.a.get_text()) == ("add/", name)
    assert re.sub(r"\s+", " ", item.get_text()).strip() == f"{name} Junior · 5 min"


def test_the_list_of_trainers_is_by_level(renderer):
    text = renderer.expand("<!-- warmup:trainers -->", "practice/trainers/", renderer.docs / "practice/x.md")
    found = BeautifulSoup(text, "html.parser")
    assert found.h2.get_text() == "Mid"
    assert found.li["data-trainer"] == "stands-still" and found.li.a["href"] == "stands-still/"


def test_the_navigation_names_their_pages(renderer):
    entries = [{"Practice": ["practice/index.md", "practice/write", "practice/trainers"]}]
    assert nav.expand(entries, renderer.site) == [
        {
            "Practice": [
                "practice/index.md",
                {"Write from memory": ["practice/write/index.md", {"Add": "practice/write/add.md"}]},
                {
                    "Broken trainers": [
                        "practice/trainers/index.md",
                        {"Stands still": "practice/trainers/stands-still.md"},
                    ]
                },
            ]
        }
    ]
