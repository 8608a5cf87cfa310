"""What counts as a number in an output. scripts/warmup/wasm/page/compared.js counts the same in a browser."""

from __future__ import annotations

import re

# Padding belongs to the number: a column of timings moves when one gets a digit more. So does the label of torch's
# build ("2.13.0+cpu"). A sign does not. Spaces are looked at from their first one only: from each of them, many spaces
# and no digit would take minutes.
NUMBER = re.compile(r"(?:(?<! ) +)?\d+(?:\.\d*)*(?:[eE][+-]?\d+)?(?:\+(?:cpu|cu\d+)\b)? *")


def masked(text: str) -> str:
    """A text with `#` for each of its numbers."""
    return NUMBER.sub("#", text)
