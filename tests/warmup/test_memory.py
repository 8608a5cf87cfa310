"""What is remembered by content, also by a later process, and that damage costs time and nothing else."""

from __future__ import annotations

import os

import pytest

from warmup import memory


@pytest.fixture
def later(tmp_path, monkeypatch):
    """The memory in a file of its own; calling it is to be another process."""
    monkeypatch.setattr(memory, "FILE", tmp_path / ".cache" / "memory.sqlite")

    def begin() -> None:
        monkeypatch.setattr(memory, "_known", {})
        monkeypatch.setattr(memory, "_new", {})

    begin()
    return begin


def made(calls: list[str], about: str, kind: str = "text") -> str:
    def make() -> str:
        calls.append(about)
        return about.upper()

    return memory.remembered(kind, (about,), make)


def test_the_same_content_is_made_once_and_another_one_or_another_kind_again(later):
    calls: list[str] = []
    assert [made(calls, "a"), made(calls, "a"), made(calls, "b"), made(calls, "a", "other")] == ["A", "A", "B", "A"]
    assert calls == ["a", "b", "a"]


def test_a_later_process_knows_what_was_saved_and_only_that(later):
    calls: list[str] = []
    made(calls, "a")
    memory.save()
    made(calls, "b")
    later()
    assert [made(calls, "a"), made(calls, "b")] == ["A", "B"]
    assert calls == ["a", "b", "b"]


def test_two_processes_that_save_keep_what_both_made(later):
    calls: list[str] = []
    made(calls, "a")
    memory.save()
    later()
    memory._known["text"] = {}  # it began before the first one had saved
    made(calls, "b")
    memory.save()
    later()
    assert [made(calls, one) for one in "ab"] == ["A", "B"] and calls == ["a", "b"]


def test_what_one_changes_in_what_was_made_is_not_remembered(later):
    first = memory.remembered("list", ("a",), lambda: [1])
    first.append(2)
    assert memory.remembered("list", ("a",), lambda: [3]) == [1]


def test_contents_are_told_apart_where_their_parts_end(later):
    assert memory.digest(("ab", "c")) != memory.digest(("a", "bc"))


def test_a_damaged_memory_costs_time_only(later):
    memory.FILE.parent.mkdir()
    memory.FILE.write_text("no database")
    calls: list[str] = []
    assert made(calls, "a") == "A"
    memory.save()
    later()
    assert made(calls, "a") == "A"


def test_of_too_many_the_first_go(later, monkeypatch):
    monkeypatch.setattr(memory, "MOST", 2)
    calls: list[str] = []
    for one in "abc":
        made(calls, one)
    memory.save()
    later()
    for one in "cba":
        made(calls, one)
    assert calls == ["a", "b", "c", "a"]


def test_a_file_is_known_by_its_content_and_a_folder_by_its_names(tmp_path):
    file = tmp_path / "a.txt"
    assert memory.of_file(file) == b""
    file.write_text("one")
    first, folder = memory.of_file(file), memory.of_file(tmp_path)
    file.write_text("three")
    assert memory.of_file(file) != first and memory.of_file(tmp_path) == folder
    file.write_text("one")
    assert memory.of_file(file) == first
    (tmp_path / "b.txt").write_text("")
    os.utime(tmp_path, ns=(1, 1))  # a folder's time may tick too slowly to tell
    assert memory.of_file(tmp_path) != folder
