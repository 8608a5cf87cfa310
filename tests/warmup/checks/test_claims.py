"""Claims that are missing, prove nothing or belong to no page, and functions that nothing tries."""

from __future__ import annotations

import pytest

from warmup.checks import claims
from warmup.kinds import levels

PAGES = ("junior/autograd/thing", "junior/autograd/other", "mid/autograd/thing", "mid/scaling/size")
GOOD = "class TestA:\n    def test_it(self): pass\n"


@pytest.fixture
def proven(sample):
    for page in PAGES:
        module = claims.module_of(page, sample)
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(f"{GOOD}# {page}.py\n")
    return sample


def problems(sample) -> list[str]:
    return [str(one).replace(f"{sample}/", "") for one in claims.problems(levels.load(sample / "docs"), sample)]


def test_each_question_and_topic_may_have_claims(proven):
    assert problems(proven) == []
    claims.module_of("mid/scaling/index", proven).write_text(GOOD)
    assert problems(proven) == []


def test_a_question_without_claims_or_with_empty_ones(proven):
    claims.module_of("mid/scaling/size", proven).unlink()
    claims.module_of("mid/autograd/thing", proven).write_text("def test_it(): pass\n")
    assert problems(proven) == [
        "tests/snippets/mid/autograd/test_thing.py: No class in it holds a test. "
        "Prove what the page says: class TestName with def test_named_as_the_claim(self).",
        "tests/snippets/mid/scaling/test_size.py: It does not exist. docs/mid/scaling/size.md needs its claims.",
    ]


def test_claims_without_a_page(proven):
    claims.module_of("mid/scaling/gone", proven).write_text(GOOD)
    [found] = problems(proven)
    assert found.startswith("tests/snippets/mid/scaling/test_gone.py: There is no page of this name.")


def test_functions_that_no_claim_loads(proven):
    program = 'def f():\n    """1."""\n\n\nif __name__ == "__main__":\n    f()\n'
    (proven / "snippets/junior/autograd/thing.py").write_text(program)
    assert problems(proven) == []
    claims.module_of("junior/autograd/thing", proven).write_text(GOOD)
    [found] = problems(proven)
    assert found.startswith("snippets/junior/autograd/thing.py: No module in tests/snippets/junior/autograd tries its")
    (proven / "snippets/junior/autograd/thing.py").write_text("print(1)\n")
    assert problems(proven) == []


@pytest.mark.parametrize(
    ("text", "proves"),
    [
        ("class TestA:\n    def test_it(self): pass\n", True),
        ("class TestA:\n    x = 1\n", False),
        ("class A:\n    def test_it(self): pass\n", False),
        ("class TestA:\n    def helper(self): pass\n", False),
        ("", False),
        ("class TestA:\n", False),
    ],
)
def test_a_class_without_tests_proves_nothing(text, proves):
    assert claims.has_tests(text) is proves
