"""`make bench`: what it computes from what it measures."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from warmup.dev import bench_build


@pytest.mark.parametrize(("platform", "counted"), [("linux", 300 * 1024), ("darwin", 300 * 1024**2)])
def test_peak_memory_is_in_megabytes_whatever_the_platform_counts(monkeypatch, platform, counted):
    monkeypatch.setattr("sys.platform", platform)
    assert bench_build.megabytes(SimpleNamespace(ru_maxrss=counted)) == 300
