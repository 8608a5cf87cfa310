"""Diagrams that are missing, older than their source, without one, or on no page."""

from __future__ import annotations

import pytest

from warmup import checks
from warmup.content import diagrams
from warmup.kinds import levels

SVG = '<?xml version="1.0"?>\n<!-- Generated -->\n<svg viewBox="0 0 9 9"><title>t</title></svg>\n'


@pytest.fixture
def folder(sample):
    """A topic with one diagram, drawn from its source and shown by a page."""
    folder = sample / "docs/junior/autograd"
    source = folder / "kept.dot"
    source.write_text("digraph { a -> b }\n")
    diagrams.drawing_file(source).write_text(diagrams.drawn(SVG, source))
    with (folder / "index.md").open("a") as page:
        page.write("\n![An arrow from a to b](kept.svg)\n")
    return folder


def problems(sample) -> list[str]:
    found = checks.problems(levels.load(sample / "docs"), sample / "snippets")
    return [str(problem).partition("kept.")[2] for problem in found if "kept." in str(problem)]


def test_a_diagram_as_it_was_drawn_is_no_problem(sample, folder):
    assert problems(sample) == []
    assert (folder / "kept.svg").read_text().partition("-->\n")[2] == '<svg viewBox="0 0 9 9"><title>t</title></svg>\n'


@pytest.mark.parametrize(("file", "old", "new"), [("kept.dot", "a", "c"), ("kept.svg", ">t<", ">u<")])
def test_an_edit_of_source_or_diagram_is_a_problem(sample, folder, file, old, new):
    assert problems(sample) == []
    path = folder / file
    path.write_text(path.read_text().replace(old, new))
    [found] = problems(sample)
    assert found.startswith(
        "dot: It has changed since its diagram was drawn, or the diagram was edited. Run: make draw"
    )


def test_a_diagram_that_another_program_wrote_is_a_problem(sample, folder):
    (folder / "kept.svg").write_text(SVG)
    assert len(problems(sample)) == 1


def test_a_source_that_was_never_drawn_is_a_problem(sample, folder):
    (folder / "kept.svg").unlink()
    assert [found for found in problems(sample) if found.startswith("dot: Its diagram has not been drawn.")]


def test_a_diagram_without_its_source_is_a_problem(sample, folder):
    (folder / "kept.dot").unlink()
    assert problems(sample) == ["svg: This diagram has no Graphviz source beside it. Add it, or delete the diagram."]


def test_a_diagram_on_no_page_is_a_problem(sample, folder):
    index = folder / "index.md"
    index.write_text(index.read_text().replace("kept.svg", "other.png"))
    assert problems(sample) == ["svg: No page shows this diagram. Show it, or delete it with its source."]
