"""Tags that mean the same are a problem, since a filter by one of them misses the other."""

from __future__ import annotations

import pytest

from warmup import checks
from warmup.kinds import levels

PAGE = "docs/mid/autograd/thing.md"


@pytest.mark.parametrize("tag", ["gradient", "Gradients", "loss", "data-loading"])
def test_a_tag_that_differs_by_number_case_or_spacing(sample, tag):
    first = sample / "docs/junior/autograd/thing.md"
    first.write_text(first.read_text().replace("[gradients]", "[gradients, losses, data loading]"))
    page = sample / PAGE
    page.write_text(page.read_text().replace("[optimizer]", f"[optimizer, {tag}]"))
    (problem,) = map(str, checks.problems(levels.load(sample / "docs"), sample / "snippets"))
    assert problem.startswith(f"{page}:4: The tag {tag!r} differs from ")


def test_a_filter_offers_tags_of_several_questions_without_regard_to_case(sample):
    page = sample / PAGE
    page.write_text(page.read_text().replace("[optimizer]", "[Size, gradients, size]"))
    size = sample / "docs/mid/scaling/size.md"
    size.write_text(size.read_text().replace("[size]", "[Size, Adam]"))
    other = sample / "docs/junior/autograd/other.md"
    other.write_text(other.read_text().replace("pictures", "Adam"))
    assert list(levels.load(sample / "docs").tags.items()) == [("Adam", 2), ("gradients", 3), ("Size", 2)]
