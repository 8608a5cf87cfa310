"""Notebooks as Markdown."""

from __future__ import annotations

import base64
import json

import pytest

from warmup.site import notebook


def markdown(*cells) -> str:
    return notebook.markdown(json.dumps({"cells": cells, "nbformat": 4}))


def code(source, *outputs) -> dict:
    return {"cell_type": "code", "source": source, "outputs": outputs}


def printed(*text) -> dict:
    return {"output_type": "stream", "name": "stdout", "text": list(text)}


def shown(**data) -> dict:
    return {"output_type": "display_data", "data": data}


SVG = ["<svg>\n", "\n", " <g/></svg>\n"]
IMAGE = '<img alt="No description has been provided for this image" src="data:image/{};base64,{}">'


def test_prose_stands_as_it_is_and_code_in_a_fence():
    prose = {"cell_type": "markdown", "source": ["# A\n", "b"]}
    assert markdown(prose, code(["x = 1\n", "x"])) == "# A\nb\n\n````python\nx = 1\nx\n````\n"


def test_what_is_printed_together_is_one_output():
    text = markdown(code("x", printed("1\n", "2\n"), shown(**{"text/plain": ["3"]})))
    assert text.endswith("````output\n1\n2\n3\n````\n")


def test_a_picture_stands_between_what_was_printed_before_and_after():
    text = markdown(
        code("x", printed("1\n"), shown(**{"image/svg+xml": SVG, "text/plain": ["<Figure>"]}), printed("2"))
    )
    image = IMAGE.format("svg+xml", base64.b64encode("".join(SVG).encode()).decode())
    assert text.endswith(f'````output\n1\n````\n\n<figure class="tw-figure">{image}</figure>\n\n````output\n2\n````\n')


def test_pixels_are_a_picture_too():
    assert IMAGE.format("png", "QUJD") in markdown(code("x", shown(**{"image/png": "QU\nJD\n"})))


def test_a_picture_has_the_text_that_its_cell_gave_it():
    output = shown(**{"image/svg+xml": SVG}) | {"metadata": {"image/svg+xml": {"alt": 'a "flat" line, x < 1'}}}
    assert '<img alt="a &quot;flat&quot; line, x &lt; 1" src="data:image/svg+xml;base64,' in markdown(code("x", output))


TABLE = ["| a |\n", "|---|\n", "| 1 |"]


def test_a_table_that_a_cell_shows_is_a_table_between_what_is_printed():
    text = markdown(
        code("x", printed("1\n"), shown(**{"text/markdown": TABLE, "text/plain": ["<Markdown>"]}), printed("2"))
    )
    assert text.endswith("````output\n1\n````\n\n| a |\n|---|\n| 1 |\n\n````output\n2\n````\n")
    assert not notebook.has_slider(text)


def test_the_table_of_a_tagged_cell_gets_a_slider():
    cell = code("x", printed("1\n"), shown(**{"text/markdown": TABLE})) | {"metadata": {"tags": [notebook.SLIDER]}}
    text = markdown(cell)
    assert text.endswith('\n\n<div class="tw-slider" markdown="1">\n\n| a |\n|---|\n| 1 |\n\n</div>\n')
    assert notebook.has_slider(text)


@pytest.mark.parametrize("ticks", ["```", "````", "`````"])
def test_a_fence_in_the_code_does_not_end_it(ticks):
    text = markdown(code(f'"""\n{ticks}\n"""'))
    mark = text.split("python")[0]
    assert len(mark) >= 4 and mark != ticks
    assert text == f'{mark}python\n"""\n{ticks}\n"""\n{mark}\n'


def test_a_cell_without_code_shows_nothing():
    assert markdown(code(""), {"cell_type": "raw", "source": "x"}) == "\n"
