"""Which tests count as claims about a snippet."""

from __future__ import annotations

from warmup.run.mutants.claims import claims

MODULE = """
import pytest
from warmup.testing import load_snippet
area = load_snippet("junior/topic/area.py")
other = load_snippet("junior/topic/other.py")
def helper(): return area.area(1)
@pytest.fixture
def measured(): return helper()
def test_direct(): area
def test_other(): other
class TestA:
    SIZES = [area.area(2)]
    def help(self): return area
    @pytest.mark.parametrize("size", SIZES)
    def test_by_class_attribute(self, size): pass
    def test_by_fixture(self, measured): pass
    def test_by_method(self): self.help()
    def test_unrelated(self): other
class TestB:
    @pytest.fixture(autouse=True)
    def always(self): area.area(3)
    def test_by_autouse(self): pass
class Helper:
    def test_none(self): area
"""


def test_claims_are_the_tests_that_reach_the_snippet(tmp_path):
    module = tmp_path / "tests/snippets/junior/test_topic.py"
    module.parent.mkdir(parents=True)
    module.write_text(MODULE)
    name = "tests/snippets/junior/test_topic.py::"
    assert claims("junior/topic/area.py", tmp_path) == [
        name + test
        for test in (
            "test_direct",
            "TestA::test_by_class_attribute",
            "TestA::test_by_fixture",
            "TestA::test_by_method",
            "TestB::test_by_autouse",
        )
    ]
    assert claims("junior/topic/nowhere.py", tmp_path) == []
