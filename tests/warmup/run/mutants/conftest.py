"""A small project to break: one snippet, and the module of its claims."""

from __future__ import annotations

import pytest

from warmup.run.mutants import noticed
from warmup.run.mutants.mutate import mutate

SOURCE = '''"""A docstring."""
import math
import random


def area(radius: float) -> float:
    """Doc."""
    squared = radius * radius
    return math.pi * (squared + 0)


if __name__ == "__main__":
    random.seed(3)
    print(f"{area(1.0):.2f}")
'''


class Project:
    """A project of one snippet, whose claims are one test module."""

    def __init__(self, root):
        self.source = SOURCE
        self.root, self.snippets = root, root / "snippets"
        self.snippet, self.module = self.snippets / "junior/topic/area.py", root / "tests/snippets/junior/test_topic.py"
        self.snippet.parent.mkdir(parents=True)
        self.module.parent.mkdir(parents=True)
        self.snippet.write_text(self.source)
        self.snippet.with_suffix(".out").write_text("3.14\n")

    def claim(self, claim: str, before: str = ""):
        self.module.write_text(
            "import pytest\nfrom warmup.testing import load_snippet\n"
            f"area = load_snippet('junior/topic/area.py')\n{before}\n"
            f"def test_it():\n    {claim}\n    assert area\n"
        )

    def survivors(self, runner, *lines: str):
        """The lines that mutants became and that nothing noticed; of all mutants, or of those that become `lines`."""
        found = list(mutate(self.source, "junior/topic/area.py"))
        found = [mutant for mutant in found if not lines or mutant.becomes in lines]
        [verdict] = noticed.verdicts(found, runner, self.snippets, self.root)
        if isinstance(verdict, noticed.Refused):
            return verdict
        assert list(verdict) == found
        self.noticed_by = {mutant.becomes: by for mutant, by in verdict.items()}
        return {mutant.becomes for mutant, by in verdict.items() if not by}


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)
