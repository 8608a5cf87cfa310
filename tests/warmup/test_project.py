"""Files of the project are replaced whole or not at all."""

from __future__ import annotations

import os

import pytest

from warmup.project import replace_file


def test_a_file_is_replaced_and_its_line_ends_stay(tmp_path):
    file = tmp_path / "a.txt"
    for text in ("one\r\n", "two\n"):
        replace_file(file, text)
        assert file.read_bytes() == text.encode()
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    file = tmp_path / "a.txt"
    file.write_text("old")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        replace_file(file, "new")
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["a.txt"])
