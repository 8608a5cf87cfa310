"""Notebooks from small sources."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from warmup.exports import notebooks
from warmup.kinds import labs, levels
from warmup.run.labs import execute
from warmup.site.expand import Renderer

NAME = "junior/topic/thing.ipynb"
SNIPPET = "snippets/junior/topic/{}"
HEADER = '# /// script\n# dependencies = [{}]\n#\n# [tool.warmup]\n# needs = "{}"\n# ///\n'


@pytest.fixture
def made(build, tmp_path):
    """Writes the notebook of the question, after changes of its files, and reads it."""

    def made(files: dict[str, str] | None = None, site_url: str = "") -> nbformat.NotebookNode:
        for name, text in (files or {}).items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        site = levels.load(tmp_path / "docs")
        renderer = Renderer(site, tmp_path)
        notebooks.write(replace(build, site=site, renderer=renderer, site_url=site_url, kept={}))
        notebook = nbformat.reads((build.folder / NAME).read_text(encoding="utf-8"), as_version=nbformat.NO_CONVERT)
        nbformat.validate(notebook)
        return notebook

    return made


def page(tmp_path: Path, old: str, new: str) -> dict[str, str]:
    """The page with one text for another."""
    name = "docs/junior/topic/thing.md"
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert old in text
    return {name: text.replace(old, new, 1)}


def shape(notebook) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source.partition("\n")[0]) for cell in notebook.cells]


def test_prose_is_markdown_and_a_program_is_a_cell_with_its_output(made):
    notebook = made()
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert shape(notebook) == [
        ("markdown", "# What does \\__len_\\_ of a \\[list\\] cost?"),
        ("markdown", "## Say it"),
        ("markdown", "## Run it"),
        ("code", "print(1)"),
        ("markdown", "**What does `f` print?**"),
        ("markdown", "## They ask next"),
        ("markdown", "## Listening for"),
    ]
    (program,) = (cell for cell in notebook.cells if cell.cell_type == "code")
    assert program.source == "print(1)"
    assert program.outputs == [{"output_type": "stream", "name": "stdout", "text": "1\n"}]
    assert program.metadata.jupyter.outputs_hidden, "the page lets one guess it"
    said = notebook.cells[4].source
    assert "Output" not in said and "```" not in said and "$x_1$" in said


def test_the_first_cell_says_with_which_torch_and_what_colab_has(made):
    first = made().cells[0].source
    assert "recorded with torch 9.9.9" in first and "from Name, under the MIT license." in first
    assert f"Colab had torch {notebooks.COLAB_TORCH} on {notebooks.COLAB_DAY}" in first
    assert "%pip" not in first and "CUDA" not in first and "into a file" not in first


def test_links_lead_to_the_pages_of_a_site_whose_address_is_known_and_no_link_back_is_made_up(made):
    assert "Read it on" not in made().cells[0].source
    notebook = made(site_url="https://host/x/")
    assert "[Read it on Name](https://host/x/junior/topic/thing/)" in notebook.cells[0].source
    assert "[the other](https://host/x/junior/other/page/#why)" in notebook.cells[1].source
    assert "[there](https://example.org/x.md)" in notebook.cells[5].source


def test_packages_beyond_torch_are_named(made):
    dependencies = '"torch>=2.11", "torch-geometric", "matplotlib>=3.8"'
    header = HEADER.format(dependencies, "compiler")
    first = made({SNIPPET.format("thing.py"): f"{header}print(1)\n"}).cells[0].source
    assert 'run `%pip install "matplotlib>=3.8" torch-geometric`.' in first


def test_a_program_that_needs_cuda_and_is_not_recorded_has_no_output_and_says_so(made, build):
    (build.renderer.snippets / "junior/topic/thing.out").unlink()
    notebook = made({SNIPPET.format("thing.py"): HEADER.format('"torch"', "cuda") + "print(1)\n"})
    assert notebook.cells[3].source == "print(1)" and notebook.cells[3].outputs == []
    assert "Output: not recorded yet." in notebook.cells[4].source
    assert "needs a CUDA GPU" in notebook.cells[0].source


@pytest.mark.parametrize(
    "program",
    [
        HEADER.format("", "multiprocess") + "print(1)\n",
        "import sys\n\nsys.exit()\n",
        "import torch\n\ntorch.set_default_device('meta')\n",
    ],
)
def test_a_program_that_starts_processes_or_changes_others_runs_as_a_file(made, program):
    notebook = made({SNIPPET.format("thing.py"): program})
    written, run = (cell for cell in notebook.cells if cell.cell_type == "code")
    assert written.source == "%%writefile thing.py\n" + program.rpartition("# ///\n")[2].rstrip()
    assert written.outputs == []
    assert run.source == "import sys\n\n!{sys.executable} thing.py"
    assert run.outputs[0].text == "1\n"
    assert "is written into a file and called" in notebook.cells[0].source


def test_a_program_that_draws_is_a_cell_whatever_it_sets(made):
    header = HEADER.format('"matplotlib"', "compiler")
    program = "import torch\n\ntorch.set_default_dtype(torch.float64)"
    assert program in [cell.source for cell in made({SNIPPET.format("thing.py"): f"{header}{program}\n"}).cells]


STARTS_A_PROCESS = """import multiprocessing


def work(queue):
    queue.put(__name__)


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=work, args=(queue,))
    process.start()
    print(queue.get(timeout=60))
    process.join()
"""


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:jupyter_client", "ignore::ResourceWarning")
def test_a_program_that_starts_processes_runs_in_a_kernel(made):
    notebook = made({SNIPPET.format("thing.py"): HEADER.format("", "multiprocess") + STARTS_A_PROCESS})
    written, run = labs.code_cells(execute(notebook, Path(NAME)))
    assert written.outputs[0].text == "Writing thing.py\n"
    assert run.outputs[0].text.split() == ["__mp_main__"]


def test_a_header_that_is_broken_does_not_stop_the_build(made):
    code = next(
        cell for cell in made({SNIPPET.format("thing.py"): "# /// script\nprint(1)\n"}).cells if "outputs" in cell
    )
    assert code.source == "# /// script\nprint(1)"


def test_what_was_recorded_elsewhere_says_where(made):
    first = "# recorded on X, torch 1, fingerprint 0123456789abcdef"
    notebook = made({SNIPPET.format("thing.out"): f"{first}\n5\n"})
    assert notebook.cells[3].outputs[0].text == "5\n"
    assert "What `thing.py` printed: recorded on X, torch 1." in notebook.cells[4].source


def test_what_another_torch_prints_stays_below_the_program(made):
    notebook = made({SNIPPET.format("thing.torch-before-2.12.out"): "7\n"})
    assert notebook.cells[3].outputs[0].text == "1\n"
    assert "With torch before 2.12:\n\n```text\n7\n```" in notebook.cells[4].source


def test_a_plot_is_an_image_wherever_the_page_shows_it(made, tmp_path):
    plot = '```plot alt="It rises."\n--8<-- "junior/topic/thing.svg"\n```\n\n'
    svg = "<!-- drawn with torch 1, fingerprint 0123456789abcdef -->\n<svg/>\n"
    fence = '```python title="thing.py"'
    notebook = made({**page(tmp_path, fence, plot + fence), SNIPPET.format("thing.svg"): svg})
    printed, drawn = next(cell for cell in notebook.cells if cell.cell_type == "code").outputs
    assert printed.text == "1\n"
    assert drawn.data == {"image/svg+xml": "<svg/>\n", "text/plain": "It rises."}


def test_an_output_above_its_program_stands_there_and_in_the_cell(made, tmp_path):
    output = '```output\n--8<-- "junior/topic/thing.out"\n```\n\n'
    fence = '```python title="thing.py"'
    notebook = made(page(tmp_path, fence, output + fence))
    assert "```text\n1\n```" in notebook.cells[2].source
    assert notebook.cells[3].outputs[0].text == "1\n"


def test_after_a_program_in_a_list_nothing_turns_into_code(made, tmp_path):
    fence = '    ```python title="thing.py"\n    --8<-- "junior/topic/thing.py"\n    ```\n'
    listed = f"- One:\n\n{fence}\n    Of one.\n- Two.\n\n"
    notebook = made(page(tmp_path, "??? question", f"{listed}??? question"))
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.source for cell in cells] == ["print(1)", "print(1)"]
    assert notebook.cells[notebook.cells.index(cells[1]) + 1].source.startswith("Of one.\n- Two.\n")


def test_a_program_that_is_only_quoted_stays_quoted(made, tmp_path):
    notebook = made(page(tmp_path, "??? question", "```python\n## Say it\n```\n\n??? question"))
    assert sum(cell.cell_type == "code" for cell in notebook.cells) == 1
    assert any("```python\n## Say it\n```" in cell.source for cell in notebook.cells)


def test_ids_are_unique_and_the_same_in_each_build(made, build):
    ids = [cell.id for cell in made().cells]
    assert len(set(ids)) == len(ids)
    text = (build.folder / NAME).read_text(encoding="utf-8")
    assert json.loads(text)["cells"][0]["id"] == ids[0]
    made()
    assert (build.folder / NAME).read_text(encoding="utf-8") == text


def test_a_notebook_is_written_again_only_with_its_page(build):
    notebooks.write(build)
    (build.folder / NAME).unlink()
    notebooks.write(build)
    assert not (build.folder / NAME).exists()
    again = {name: replace(shown) for name, shown in build.contents.items()}
    notebooks.write(replace(build, contents=again))
    assert (build.folder / NAME).exists()


def test_a_question_that_could_not_be_built_has_no_notebook(build):
    notebooks.write(replace(build, contents={}))
    assert not (build.folder / NAME).exists()


@pytest.mark.parametrize(
    ("repository", "name"),
    [
        ("https://github.com/owner/torch-warmup", "owner/torch-warmup"),
        ("https://github.com/owner/a.b.git", "owner/a.b"),
        ("https://github.com/owner/a/", "owner/a"),
        ("", ""),
        ("https://github.com/owner", ""),
        ("https://git.example.com/owner/a", ""),
        ("https://github.com.example.com/owner/a", ""),
        ("https://example.com/github.com/owner/a", ""),
    ],
)
def test_colab_opens_only_what_is_on_github(repository, name):
    found = notebooks.colab(repository, NAME)
    assert found == (f"https://colab.research.google.com/github/{name}/blob/notebooks/{NAME}" if name else "")


def test_the_branch_is_one_word():
    assert re.fullmatch(r"[a-z]+", notebooks.BRANCH)
