"""`make new`: a question that fails the tests until it is filled in, and nothing half-written on bad input."""

from __future__ import annotations

import ast
import re

import pytest
import yaml

from warmup import checks, testing
from warmup.dev import scaffold
from warmup.kinds import levels, navigation
from warmup.project import ProblemError
from warmup.testing import copy_sample


@pytest.fixture
def project(tmp_path):
    return copy_sample(tmp_path)


def tree(root):
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_it_writes_page_snippet_and_claims_under_one_name(project):
    written = scaffold.new("junior/autograd/no-grad", project)
    assert {p.relative_to(project).as_posix() for p in written} == {
        "docs/junior/autograd/no-grad.md",
        "docs/junior/autograd/index.md",
        "docs/junior/sheet.md",
        "snippets/junior/autograd/no_grad.py",
        "tests/snippets/junior/autograd/test_no_grad.py",
    }
    claims = (project / "tests/snippets/junior/autograd/test_no_grad.py").read_text()
    assert [n.name for n in ast.parse(claims).body if isinstance(n, ast.ClassDef)] == ["TestNoGrad"]


def test_no_placeholder_is_left_unfilled(project):
    for path in scaffold.new("junior/autograd/no-grad", project):
        # One that the template does not have, too: it would be copied as it stands.
        assert not re.findall(r"\{\{|\{[a-z_]+\}", path.read_text()), path


def test_its_claims_are_python_that_says_what_to_do(project, monkeypatch):
    scaffold.new("junior/autograd/no-grad", project)
    monkeypatch.setattr(testing, "SNIPPETS", project / "snippets")
    names: dict = {}
    exec((project / "tests/snippets/junior/autograd/test_no_grad.py").read_text(), names)
    tests = [name for name in vars(names["TestNoGrad"]) if name.startswith("test_")]
    assert len(tests) == 1
    told = "TODO: prove what the page says, beyond the example shown, with no_grad"
    with pytest.raises(pytest.fail.Exception, match=rf"^{told}$"):
        getattr(names["TestNoGrad"](), tests[0])()


def test_the_scaffold_fails_until_it_is_filled_in(project):
    scaffold.new("junior/autograd/no-grad", project)
    site = levels.load(project / "docs")
    messages = [str(p) for p in checks.problems(site, project / "snippets")]
    assert any("still says TODO" in m for m in messages)
    assert any("has not been recorded" in m for m in messages)
    claims = (project / "tests/snippets/junior/autograd/test_no_grad.py").read_text()
    assert "pytest.fail(" in claims


def test_its_only_problems_are_the_ones_that_filling_in_mends(project):
    scaffold.new("junior/autograd/no-grad", project)
    site = levels.load(project / "docs")
    others = [
        str(p)
        for p in checks.problems(site, project / "snippets")
        if "TODO" not in str(p) and "has not been recorded" not in str(p)
    ]
    assert others == []


def test_a_second_question_joins_the_topic(project):
    scaffold.new("junior/autograd/no-grad", project)
    scaffold.new("junior/autograd/detach", project)
    assert "order: [thing, other, no-grad, detach]" in (project / "docs/junior/autograd/index.md").read_text()


def test_a_new_topic_joins_the_navigation_of_its_level(project):
    before = (project / "mkdocs.yml").read_text()
    scaffold.new("junior/saving/map-location", project)
    text = (project / "mkdocs.yml").read_text()
    assert text == before.replace("      - junior/autograd\n", "      - junior/autograd\n      - junior/saving\n")
    listed = navigation.topic_order(yaml.safe_load(re.search(r"^nav:\n(?: .*\n)+", text, re.M)[0])["nav"])
    assert listed == ["junior/autograd", "junior/saving", "mid/autograd", "mid/scaling"]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "detach",
        "junior/detach",
        "expert/autograd/detach",
        "junior/Autograd/detach",
        "junior/autograd/no_grad",
        "junior/autograd/../x",
        "junior/autograd/a b",
    ],
)
def test_a_bad_name_says_the_form_and_writes_nothing(project, name):
    before = tree(project)
    with pytest.raises(ProblemError, match="make new Q=junior/autograd/detach"):
        scaffold.new(name, project)
    assert tree(project) == before


def test_an_existing_question_is_not_overwritten(project):
    scaffold.new("junior/autograd/no-grad", project)
    before = tree(project)
    with pytest.raises(ProblemError, match="exists already"):
        scaffold.new("junior/autograd/no-grad", project)
    assert tree(project) == before


def test_an_index_without_order_stops_before_anything_is_written(project):
    folder = project / "docs/junior/autograd"
    (folder / "index.md").write_text("---\ntitle: Autograd\n---\n")
    before = tree(project)
    with pytest.raises(ProblemError, match="no order"):
        scaffold.new("junior/autograd/no-grad", project)
    assert tree(project) == before
