"""What pages weigh, today and with as many questions as the limits are promised for."""

from __future__ import annotations

import pytest

from warmup.dev import bench_sizes
from warmup.dev.bench import GROWN
from warmup.kinds import levels

COUNT = len(levels.load().questions)
# What one more question may cost a page that lists them: a title, an address, and what the filter chooses by.
ROW = 70
LISTS = {"questions/": ROW, "practice/interview-kit/": ROW, "plan/": ROW, "mid/": ROW, "mid/sheet/": 110}


def html_of(site, address: str) -> str:
    return (site / address / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("address", LISTS)
def test_a_list_keeps_below_30_kb_with_300_questions(site, address):
    page = html_of(site, address)
    assert len(bench_sizes.rows(page)) > 50
    assert bench_sizes.cost_of_a_row(page) <= LISTS[address]
    assert not bench_sizes.too_heavy({address: bench_sizes.with_questions(page, COUNT, max(COUNT, GROWN))})


def test_no_page_but_a_print_weighs_more_than_30_kb(site):
    found = bench_sizes.weights(site)
    assert len(found) > COUNT and not any("/print/" in address or "/short/" in address for address in found)
    assert not bench_sizes.too_heavy(found)
