"""Minutes to read: prose, code and outputs at their rates, folds by half, sources not at all."""

from __future__ import annotations

import pytest

from warmup.content import reading
from warmup.kinds.questions import Question

HEAD = "---\ntitle: What?\n---\n\n"
PROSE = "## Why\n\n" + "word " * 800
CODE = '```python title="a.py"\n--8<-- "a.py"\n```\n'
OUTPUT = '```output\n--8<-- "a.out"\n```\n'


def indented(text: str) -> str:
    return "\n".join(f"    {row}" for row in text.split("\n"))


@pytest.mark.parametrize(
    ("body", "minutes"),
    [
        ("## Why\n\nA word.\n", 1),
        (PROSE, 4),
        (f"## Run it\n\n{CODE}", 3),
        (f"## Run it\n\n{OUTPUT}", 2),
        ("## Why\n\n```python\n" + "x = 1\n\n" * 80 + "```\n", 4),
        (f"{PROSE}\n\n## Run it\n\n{CODE}\n{OUTPUT}", 9),
        ('## They ask next\n\n??? question "?"\n\n' + indented("word " * 800), 2),
        (f'## They ask next\n\n??? question "?"\n\n{indented(CODE * 2)}', 3),
        (f"## Why\n\nA word.\n\n## Sources\n\n{'word ' * 800}", 1),
        ('## Run it\n\n```python title="b.py"\n--8<-- "gone.py"\n```\n', 1),
    ],
)
def test_minutes_to_read(tmp_path, body, minutes):
    (tmp_path / "a.py").write_text("# /// script\n# dependencies = []\n# ///\n" + "x = 1\n\n" * 60)
    (tmp_path / "a.out").write_text("1\n" * 120)
    page = tmp_path / "junior/autograd/a.md"
    page.parent.mkdir(parents=True)
    page.write_text(HEAD + body)
    assert reading.minutes(Question.read(page), tmp_path) == minutes
