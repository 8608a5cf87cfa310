"""`make bench`: what it computes from what it measures."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace

import pytest

from warmup.dev import bench, bench_build, bench_sizes


@pytest.mark.parametrize(("platform", "counted"), [("linux", 300 * 1024), ("darwin", 300 * 1024**2)])
def test_peak_memory_is_in_megabytes_whatever_the_platform_counts(monkeypatch, platform, counted):
    monkeypatch.setattr("sys.platform", platform)
    assert bench_build.megabytes(SimpleNamespace(ru_maxrss=counted)) == 300


def a_list(count: int, words: int) -> str:
    """A page with a row for each question, of words that no other row has."""
    texts = [" ".join(hashlib.md5(bytes([n, word])).hexdigest() for word in range(words)) for n in range(count)]
    rows = (f'<li class="tw-question"><a href="../{n}/">{text}</a>\n</li>' for n, text in enumerate(texts))
    return f"<html>{'<p>A page.</p>' * 50}<ol>\n{''.join(rows)}</ol></html>"


def test_a_list_is_predicted_from_what_its_rows_cost():
    for words in (1, 3):
        today, then = a_list(60, words), a_list(200, words)
        assert len(bench_sizes.rows(today)) == 60
        predicted = bench_sizes.with_questions(today, 60, 200)
        assert predicted == pytest.approx(bench_sizes.compressed(then), rel=0.03)
    # Where a question has several rows, all of them are its cost.
    twice = today.replace("</html>", today)
    assert bench_sizes.cost_of_a_row(twice) > bench_sizes.cost_of_a_row(today)
    assert bench_sizes.with_questions("<p>No list.</p>", 60, 200) == bench_sizes.compressed("<p>No list.</p>")


def test_what_is_over_the_limit_is_told_and_prints_have_none(tmp_path):
    heavy = "".join(hashlib.sha512(bytes([n % 256, n // 256])).hexdigest() for n in range(500))
    for address, text in (("", heavy), ("light", "x"), ("mid/print", heavy)):
        (tmp_path / address).mkdir(parents=True, exist_ok=True)
        (tmp_path / address / "index.html").write_text(text)
    found = bench_sizes.weights(tmp_path)
    assert found.keys() == {"", "light/"}
    assert bench_sizes.too_heavy(found) == [f"home has {found[''] / 1000:.1f} kB, limit 30 kB."]


def test_a_part_that_there_is_not_is_refused():
    with pytest.raises(RuntimeError, match="'size' to measure, but sizes, build"):
        bench.main("size")
