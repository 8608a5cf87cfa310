"""The search itself, asked in a browser for what people type: see queries.yml."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from warmup.project import DOCS

QUERIES = yaml.safe_load(Path(__file__).with_name("queries.yml").read_text(encoding="utf-8"))
FIRST, FIRST_THREE = 0.85, 0.95

# Talks to the worker as Material's script does, with the index that the site publishes.
ASK = """async queries => {
    const { base, search } = JSON.parse(document.getElementById("__config").textContent)
    const worker = new Worker(new URL(search, location))
    const say = (message, isAnswer = () => true) => new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => isAnswer(data) && resolve(data)
        worker.onerror = event => reject(event.message)
        worker.postMessage(message)
    })
    const isWhole = ({ data }) => data.items[0][0].text.includes("data-whole")
    const index = await (await fetch(new URL(`${base}/search/search_index.json`, location))).json()
    await say({ type: 0, data: index })
    await say({ type: 2, data: "dropout" }, isWhole)
    const found = {}
    for (const query of queries) found[query] = (await say({ type: 2, data: query })).data.items.map(([page]) => page)
    return found
}"""


@pytest.fixture(scope="module")
def ask(chromium, address):
    """Asks all queries in one go, and returns for each the results."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{address}about/live/")
    yield lambda queries: page.evaluate(ASK, list(queries))
    context.close()


def places(results: list[dict]) -> list[str]:
    return [result["location"].partition("?")[0].rstrip("/") for result in results]


def test_the_page_that_one_means_is_found(ask):
    wanted = {query: pages for group in QUERIES.values() for query, pages in group.items()}
    assert len(wanted) >= 90
    assert len(QUERIES["plain"]) >= 30
    files = {page: (DOCS / f"{page}.md", DOCS / page / "index.md") for pages in wanted.values() for page in pages}
    missing = [page for page, ways in files.items() if not any(way.exists() for way in ways)]
    assert not missing, f"queries.yml names pages that there are not: {missing}"
    found = {query: places(results) for query, results in ask(wanted).items()}
    ranks = {
        query: min((found[query].index(page) + 1 for page in pages if page in found[query]), default=None)
        for query, pages in wanted.items()
    }
    later = {query: (rank, found[query][:3]) for query, rank in ranks.items() if rank != 1}
    report = json.dumps(later, indent=1)
    assert not [query for query in wanted if not found[query]], report
    assert sum(rank == 1 for rank in ranks.values()) >= FIRST * len(ranks), report
    assert sum(rank is not None and rank <= 3 for rank in ranks.values()) >= FIRST_THREE * len(ranks), report


# As somebody pastes them from a terminal: the sizes and the place in the file are their own.
PASTED = {
    "RuntimeError: expected scalar type Long but found Float": ["junior/training-loop/loss-functions"],
    "Target 10 is out of bounds.": ["junior/training-loop/loss-functions"],
    "ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 64])": [
        "junior/modules/batch-norm",
        "mid/modeling/normalization-layers",
    ],
    'File "train.py", line 42, in <module> loss.backward() RuntimeError: Trying to backward through the graph a second '
    "time (or directly access saved tensors after they have already been freed).": ["mid/autograd/multiple-backward"],
    "RuntimeError: grad can be implicitly created only for scalar outputs": ["junior/autograd/what-autograd-does"],
    "UserWarning: Using a target size (torch.Size([32])) that is different to the input size (torch.Size([32, 1])).": [
        "junior/tensors/broadcasting"
    ],
}


def test_a_pasted_error_leads_to_the_page_that_quotes_it(ask):
    found = {query: places(results) for query, results in ask(PASTED).items()}
    assert not {query: found[query][:3] for query, pages in PASTED.items() if found[query][0] not in pages}


def test_results_are_short_and_none_tells_a_puzzle_s_answer(ask):
    found = ask(["zero_grad", "a guarded square root", "autograd", "", "???", "the", '<b>&"'])
    assert not [found[nothing] for nothing in ("", "???", "the") if found[nothing]]
    for results in found.values():
        assert len(results) <= 20
        for result in results:
            assert "tw-found__place" in result["text"]
            assert len(result["text"]) < 600, result
    puzzle = next(one for one in found["a guarded square root"] if one["location"].startswith("practice/predict/"))
    assert "nan" not in puzzle["text"].lower()
