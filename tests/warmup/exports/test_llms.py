"""The index of the copies, from small sources."""

from __future__ import annotations

from warmup.exports import llms


def test_the_index_names_each_copy_with_what_it_says(written):
    lines = written(llms, "llms.txt").split("\n")
    assert lines[:3] == ["# Name", "", "> Summary."]
    assert (
        "- [What does \\__len_\\_ of a \\[list\\] cost?](junior/topic/thing.md): "
        "Nothing much. It reads a field; see [the other](junior/other/page.md#why)." in lines
    )
    assert "- [Topic](junior/topic.md): topic, 1 of the questions" in lines
    assert lines[-4:] == ["## Optional", "", "- [The data](about/data.md)", ""]


def test_of_a_long_answer_it_says_the_first_sentences(build, written, monkeypatch):
    monkeypatch.setattr(llms, "NOTE", 10)
    text = written(llms, "llms.txt")
    assert "(junior/topic/thing.md): Nothing much.\n" in text
    assert "field" not in text


def test_a_question_without_a_record_is_listed_without_a_note(build, written):
    (build.renderer.snippets / "junior/topic/thing.py").unlink()
    assert "cost?](junior/topic/thing.md)\n" in written(llms, "llms.txt")
