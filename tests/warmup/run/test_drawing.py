"""Plots: what ``plt.show()`` shows is recorded as a page needs it, compared with a tolerance, and tied to its code."""

from __future__ import annotations

import re
import time
import xml.etree.ElementTree as ElementTree

import pytest

from warmup.checks import outputs as checks
from warmup.content import outputs
from warmup.content.header import Header
from warmup.project import SNIPPETS
from warmup.run.comparison import agree_drawn, compare, same_drawing
from warmup.run.drawing import LINES, for_a_page, only_draws
from warmup.run.emulation import MACHINES
from warmup.run.record import record

HEADER = '# /// script\n# requires-python = ">=3.11"\n# dependencies = ["torch>=2.11", "matplotlib>=3.8"]\n# ///\n'
DRAW = (
    HEADER
    + """import matplotlib.pyplot as plt

plt.plot([0, 1, 2], [0, 1, {top}], label="one")
plt.plot([0, 1, 2], [2, 1, 0], label="other")
plt.xlabel("steps")
plt.legend()
plt.show()
print("drawn")
"""
)


@pytest.fixture
def snippet(tmp_path):
    def write(code: str):
        path = tmp_path / "snippets" / "curve.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(code)
        return path

    return write


@pytest.fixture(scope="module")
def svg(runner, tmp_path_factory):
    path = tmp_path_factory.mktemp("plot") / "curve.py"
    path.write_text(DRAW.format(top=4))
    result = runner.run(path)
    assert (result.status, result.stdout) == ("ok", "drawn\n"), result.message
    return result.drawing


def test_a_plot_on_which_machines_do_not_agree_is_refused(snippet, on_two_machines):
    path = snippet(
        HEADER + "import os\nimport matplotlib.pyplot as plt\n"
        "plt.plot([0, len(os.environ.get('WHERE', ''))], [0, 1])\nplt.show()\n"
    )
    failed, printed = on_two_machines([path])
    assert failed == [True] and "It draws another plot on another machine." in printed
    assert not outputs.drawing_file(path).exists()


def test_a_plot_follows_the_page_that_it_stands_on(svg):
    root = ElementTree.fromstring(svg)
    assert root.get("viewBox") and not root.get("width")
    assert "<style" not in svg and "font-family" not in svg and "<metadata" not in svg
    assert "currentColor" in svg and "#010203" not in svg
    for number in (1, 2):
        assert f"var(--tw-plot-{number}, {LINES[number - 1]})" in svg
    texts = [text for element in root.iter("{http://www.w3.org/2000/svg}text") for text in element.itertext()]
    assert {"steps", "one", "other"} <= set(texts)


def test_lines_differ_in_more_than_their_color(svg):
    lines = re.findall(r'style="[^"]*stroke: var\(--tw-plot-(\d)[^"]*"', svg)
    dashed = re.findall(r'style="[^"]*stroke-dasharray[^"]*stroke: var\(--tw-plot-(\d)[^"]*"', svg)
    dashed += re.findall(r'style="[^"]*stroke: var\(--tw-plot-(\d)[^"]*stroke-dasharray[^"]*"', svg)
    assert set(lines) == {"1", "2"} and set(dashed) == {"2"}


@pytest.mark.parametrize("call", ["plt.show()\nplt.show()", "plt.figure()\nplt.figure()\nplt.show()"])
def test_a_snippet_draws_one_figure_and_shows_it_once(snippet, runner, call):
    result = runner.run(snippet(f"{HEADER}import matplotlib.pyplot as plt\nplt.plot([1, 2])\n{call}\n"))
    assert result.status == "failed" and "A snippet draws one figure and shows it once." in result.stderr


def test_points_may_move_by_less_than_a_line_is_wide_and_text_may_not_change(svg):
    def moved(by: float) -> str:
        return re.sub(r"(?<=^L )[\d.]+", lambda match: f"{float(match[0]) + by:.2f}", svg, flags=re.M)

    assert same_drawing(svg, moved(0.4)) and not same_drawing(svg, moved(0.6))
    assert not same_drawing(svg, svg.replace(">steps<", ">epochs<"))
    assert not agree_drawn(svg, "", Header()) and not agree_drawn("", svg, Header(output="recorded"))
    assert agree_drawn(svg, moved(60), Header(output="recorded"))


def test_a_plot_is_recorded_tied_to_its_code_and_compared(snippet, runner):
    path = snippet(DRAW.format(top=4))
    assert "its plot is not recorded" not in compare(path, runner.run(path))  # its output is missing, too
    (path.with_suffix(".out")).write_text("drawn\n")
    assert compare(path, runner.run(path)).startswith("its plot is not recorded")
    (change,) = record([path], machines=MACHINES[:1])
    assert change.status == "changed" and "curve.svg" in change.diff
    file = outputs.drawing_file(path)
    assert outputs.read_drawing(file).tied_to(path.read_text())
    assert not list(checks.problems(path)) and compare(path, runner.run(path)) == ""
    before = file.read_bytes()
    assert record([path], machines=MACHINES[:1])[0].status == "unchanged" and file.read_bytes() == before

    file.write_text(file.read_text().replace(">steps<", ">epochs<"))
    assert ["changed since it was drawn" in str(problem) for problem in checks.problems(path)] == [True]
    file.write_bytes(before)
    path.write_text(DRAW.format(top=5))
    assert ["changed since it was drawn" in str(problem) for problem in checks.problems(path)] == [True]
    path.write_text(DRAW.format(top=3) + "# y\n")
    assert compare(path, runner.run(path)).startswith("it draws another plot than the recorded one")
    assert record([path], machines=MACHINES[:1])[0].status == "changed"
    path.write_text("print('drawn')\n")
    assert compare(path, runner.run(path)).startswith("it draws another plot")
    assert record([path], machines=MACHINES[:1])[0].status == "changed" and not file.exists()


def test_what_a_page_does_not_need_is_gone_and_the_rest_stays():
    svg = '<?xml version="1.0"?>\n<svg width="1pt" viewBox="0 0 1 1"><!-- x --><path d="M 1.23456 -2"/></svg>'
    assert for_a_page(svg).endswith('<path d="M 1.23 -2"/></svg>\n')


def test_a_label_keeps_the_number_that_it_says():
    assert ">beta = 0.999</text>" in for_a_page('<svg><text x="1.23456">beta = 0.999</text></svg>')


@pytest.mark.parametrize(("call", "fits"), [("ylabel", False), ("title", False), ("xlabel", True)])
def test_a_label_that_a_page_would_cut_off_is_an_error(runner, snippet, call, fits):
    label = "a label " * (3 if fits else 12)
    result = runner.run(snippet(DRAW.format(top=4).replace("plt.legend()", f"plt.{call}({label!r})")))
    assert (result.status == "ok") is fits
    assert fits or "reaches beyond the figure" in result.message + result.stderr


XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
HOSTILE = [
    "<svg><script>1</script></svg>",
    '<svg><rect onclick="1"/></svg>',
    '<svg onload="1"/>',
    '<svg><rect ONCLICK="1"/></svg>',
    '<svg><image href="x" onerror="1"/></svg>',
    '<svg><image href="https://example.com/a.png"/></svg>',
    '<svg><image HREF="https://example.com/a.png"/></svg>',
    '<svg><image src="x"/></svg>',
    '<svg><image href="data:image/svg+xml;base64,AAAA"/></svg>',
    f'<svg {XLINK}><use xlink:href="https://example.com/a.svg#b"/></svg>',
    '<svg xmlns:xlink="urn:other"><use xlink:href="https://example.com/a.svg#b"/></svg>',
    '<svg><a href="javascript:1"><text>a</text></a></svg>',
    '<svg><path style="fill: url(https://example.com/)"/></svg>',
    '<svg><path style="fill: \\75rl(https://example.com/)"/></svg>',
    """<svg><path style="fill: image-set('https://example.com/' 1x)"/></svg>""",
    "<svg><style>a {}</style></svg>",
    "<svg><foreignObject><p>a</p></foreignObject></svg>",
    '<svg><animate attributeName="href" values="javascript:1"/></svg>',
    "<svg><text><![CDATA[<img onerror=1>]]></text></svg>",
    '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>',
    "<?xml-stylesheet href='https://example.com/'?><svg/>",
    '<svg/><img src="x" onerror="1">',
    '<svg><image srcset="https://example.com/a.png 1x"/></svg>',
    '<svg><rect style="position: fixed"/></svg>',
    '<svg><rect class="md-overlay"/></svg>',
    '<svg><rect data-md-component="dialog"/></svg>',
    "<svg",
    "",
]


@pytest.mark.parametrize("svg", HOSTILE)
def test_what_could_run_or_fetch_something_or_cover_the_page_is_no_drawing(svg):
    assert not only_draws(svg)
    assert not only_draws(svg.replace("<svg", f"<svg {NAMESPACE}", 1))


def test_a_root_of_another_kind_is_no_drawing():
    assert only_draws(f'<svg {NAMESPACE}><path d="M 0 0"/></svg>')
    for other in ("<svg/>", f"<g {NAMESPACE}/>", '<svg xmlns="urn:other"/>', "<image/>"):
        assert not only_draws(other)


MANY = 200_000
ENDLESS = {
    "tags": "<" * MANY,
    "styles": "<style" * MANY,
    "metadata": "<metadata>" * MANY,
    "comments": "<!--" * MANY,
    "blanks": " " * 1_000_000,
    "defs": "<defs> " * MANY,
    "roots": "<svg " * MANY,
    "boxes": "<svg " + 'viewBox="' * 100_000,
    "digits": "<svg " + "1" * 1_000_000 + ">",
    "fonts": "font-family: " * 80_000,
}


@pytest.mark.parametrize("svg", ENDLESS.values(), ids=ENDLESS)
def test_whatever_a_program_leaves_is_looked_at_in_little_time(svg):
    begun = time.process_time()
    assert not only_draws(for_a_page(svg))
    assert time.process_time() - begun < 5


def test_every_recorded_drawing_is_one():
    drawings = list(SNIPPETS.rglob("*.svg"))
    assert drawings and not [file for file in drawings if not only_draws(for_a_page(file.read_text("utf-8")))]
