"""What a program prints or draws is compared in time that grows with its length, whatever it is."""

from __future__ import annotations

import time

from warmup.run import comparison, digits


def test_many_spaces_and_many_beginnings_of_tags_take_no_minutes():
    begun = time.monotonic()
    assert digits.masked(" " * 256 * 1024).strip() == ""
    assert not comparison.same_drawing("<svg>", "<" * 2**18)
    assert time.monotonic() - begun < 5


def test_spaces_before_and_behind_a_number_belong_to_it():
    assert digits.masked("a  1  2.5e-3 b   c 2.13.0+cpu\n  7") == "a##b   c#\n#"
