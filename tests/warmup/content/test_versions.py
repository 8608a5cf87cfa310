"""The versions of torch that were seen to hold."""

from __future__ import annotations

from warmup.content import outputs, versions


def test_the_pinned_torch_is_among_the_noted_ones():
    assert outputs.recorded_torch() in [one.torch for one in versions.read()]


def test_a_project_that_noted_none_has_none(tmp_path):
    assert versions.read(tmp_path) == []
