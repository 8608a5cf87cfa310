"""The notebooks of the built site: valid, as the pages, and as a kernel runs them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

from warmup.content import outputs
from warmup.exports.notebooks import notebook_of
from warmup.kinds import levels
from warmup.project import SNIPPETS
from warmup.run import labs
from warmup.testing import build_site

SITE = levels.load()
QUESTION = "junior/autograd/zero-grad"
# Of each level one that runs for a second.
EXECUTED = {"junior": QUESTION, "mid": "mid/tensors/aliasing", "senior": "senior/mixed-precision/grad-scaler"}


@pytest.fixture(scope="module")
def notebooks(site) -> dict[str, nbformat.NotebookNode]:
    """The notebooks by the ids of their questions, as they are, without being mended."""
    paths = {question.id: site / notebook_of(f"{question.id}.md") for question in SITE.questions}
    return {id_: nbformat.reads(path.read_text("utf-8"), nbformat.NO_CONVERT) for id_, path in paths.items()}


def programs(notebook: nbformat.NotebookNode) -> Iterator[tuple[str, nbformat.NotebookNode]]:
    """Each program of a notebook, and the cell that shows what it printed."""
    cells = iter(labs.labs.code_cells(notebook))
    for cell in cells:
        if cell.source.startswith("%%writefile "):
            yield cell.source.partition("\n")[2], next(cells)
        else:
            yield cell.source, cell


def printed(cell: nbformat.NotebookNode) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


def plots(cell: nbformat.NotebookNode) -> list[str]:
    return [output.data["image/svg+xml"] for output in cell.outputs if output.output_type == "display_data"]


def test_each_question_has_a_valid_notebook(notebooks):
    for id_, notebook in notebooks.items():
        assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5), id_
        nbformat.validate(notebook)
        ids = [cell.id for cell in notebook.cells]
        assert len(set(ids)) == len(ids), id_


def text_of(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", markup)).rstrip()


def test_programs_and_what_they_printed_and_drew_are_those_of_the_page(site, notebooks):
    for id_, notebook in notebooks.items():
        page = (site / id_ / "index.html").read_text("utf-8")
        shown = re.findall(r'<a class="tw-download" href="[^"]*\.py".*?<code>(.*?)</code></pre></div>', page, re.S)
        said = re.findall(r'<div class="tw-output">.*?<pre[^>]*><code>(.*?)</code></pre>', page, re.S)
        assert [code.rstrip() for code, _ in programs(notebook)] == list(map(text_of, shown)), id_
        found = [text.rstrip() for _, cell in programs(notebook) if (text := printed(cell))]
        assert sorted(found) == sorted(map(text_of, said)), id_
        assert sum(len(plots(cell)) for _, cell in programs(notebook)) == page.count('--figure_1"'), id_


def test_a_program_has_its_own_output_and_plot(notebooks):
    drawn = set()
    for question in SITE.questions:
        for name, (code, cell) in zip(question.snippets, programs(notebooks[question.id]), strict=True):
            path = SNIPPETS / name
            assert code.rstrip() == outputs.without_header(path.read_text("utf-8")).rstrip(), name
            if text := printed(cell):
                assert text == outputs.read(path.with_suffix(".out")).text, name
            if found := plots(cell):
                assert found == [outputs.read_drawing(path.with_suffix(".svg")).text], name
                drawn.add(name)
    assert len(drawn) > 20


def test_links_lead_to_pages_and_none_to_a_place_that_is_not_there(notebooks, base, leads_nowhere):
    for id_, notebook in notebooks.items():
        prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        assert f"]({base}{id_}/)" in notebook.cells[0].source
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^(`{3,}).*\n(?:.*\n)*?\1$", "", prose, flags=re.M)):
            if link.startswith(base):
                assert not leads_nowhere(link) and not link.partition("#")[0].endswith(".md"), f"{id_}: {link}"


@pytest.mark.parametrize("level", EXECUTED)
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:jupyter_client", "ignore::ResourceWarning")
def test_a_notebook_of_each_level_prints_in_a_fresh_kernel_what_is_recorded(notebooks, level):
    notebook = notebooks[EXECUTED[level]]
    fresh = labs.execute(notebook, Path(f"{EXECUTED[level]}.ipynb"))
    pairs = list(zip(programs(notebook), programs(fresh), strict=True))
    assert pairs
    for (code, recorded), (_, ran) in pairs:
        assert printed(recorded) and printed(ran) == printed(recorded), code
        assert len([output for output in ran.outputs if output.output_type == "display_data"]) == len(plots(recorded))


def test_the_page_has_a_download_of_the_notebook_which_the_keyboard_reaches(open_page, site):
    page = open_page(f"{QUESTION}/")
    page.get_by_role("button", name="Copy as Markdown").focus()
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="Notebook", exact=True)
    expect(link).to_be_focused()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "zero-grad.ipynb"
    assert Path(download.value.path()).read_bytes() == (site / f"{QUESTION}.ipynb").read_bytes()
    expect(page.get_by_role("link", name="Open in Colab")).to_have_count(0)


def test_on_a_phone_the_links_fit(open_page):
    page = open_page(f"{QUESTION}/", width=320)
    page.evaluate(  # as where the repository is on github.com
        "() => document.querySelector('.tw-foot li.tw-copy').insertAdjacentHTML("
        "'afterend', '<li><a href=\"#\">Open in Colab</a></li>')"
    )
    for name in ("Notebook", "Open in Colab"):
        box = page.get_by_role("link", name=name, exact=True).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 320 and box["height"] >= 16
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_open_in_colab_stands_only_where_the_repository_is_on_github(sample_site, project_copy, tmp_path):
    name, at = "junior/autograd/thing", "junior/autograd/thing/index.html"
    assert "colab.research" not in "".join(path.read_text("utf-8") for path in sample_site.rglob("*.html"))
    assert f'href="../{Path(name).name}.ipynb" download>Notebook</a>' in (sample_site / at).read_text("utf-8")
    github = "https://github.com/owner/warmup"
    assert build_site(tmp_path / "out", project_copy, "--strict", repository=github).returncode == 0
    link = f'<a href="https://colab.research.google.com/github/owner/warmup/blob/notebooks/{name}.ipynb">Open in Colab'
    assert (tmp_path / "out" / at).read_text("utf-8").count(link) == 1
