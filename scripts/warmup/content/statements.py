"""Statements to judge true or false: a program has printed each of them with its level and whether it is true."""

from __future__ import annotations

import re

from warmup.vocabulary import LEVELS

# As `junior  n   backward() changes the weights`.
_LINE = re.compile(rf"(?P<level>{'|'.join(LEVELS)})\s+(?P<truth>[yn])\s+(?P<text>\S.*)")


def read(output: str) -> list[tuple[str, bool, str]]:
    """The statements that a program has printed, as (level, whether it is true, statement).

    Raises:
        ValueError: a line is none.
    """
    found = []
    for line in output.strip().split("\n"):
        match = _LINE.fullmatch(line.strip())
        if not match:
            raise ValueError(f"this is no statement with its level and y or n: {line!r}")
        found.append((match["level"], match["truth"] == "y", match["text"]))
    return found
