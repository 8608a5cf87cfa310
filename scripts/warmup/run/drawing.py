"""What a snippet draws: ``plt.show()`` in its process becomes an SVG that follows the page it will stand on.

Text and axes take the page's color, lines the variables ``--tw-plot-1`` and so on, whose light and dark values stand in
the site's style sheet; each line has its own dashes as well. Letters stay letters: a reader can select them, and the
page's font draws them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Told apart from all other colors in what matplotlib writes; a page replaces the lines' by its own.
_TEXT = "#010203"
LINES = ("#0060a8", "#b35900", "#1a7f37", "#8250df")
STYLE = {
    "figure.figsize": (4.8, 2.9),
    "figure.constrained_layout.use": True,
    "savefig.transparent": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "warmup",
    "font.size": 10,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), _TEXT),
}
_NUMBER = re.compile(r"-?(?<!\d)\d+\.\d{3,}")


def record_into(file: Path) -> None:
    """Make ``plt.show()`` of this process write what is drawn into ``file``, which it may do once.

    Raises:
        ImportError: matplotlib is not installed.
    """
    import matplotlib
    from cycler import cycler

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    dashes = ("-", "--", ":", "-.")
    matplotlib.rcParams.update(STYLE)  # type: ignore[arg-type]  # its type lists all keys
    matplotlib.rcParams["axes.prop_cycle"] = cycler(color=LINES) + cycler(linestyle=dashes)

    def show(*_: object, **__: object) -> None:
        if file.exists() or len(plt.get_fignums()) != 1:
            raise RuntimeError("A snippet draws one figure and shows it once.")
        _check_that_labels_fit(plt.gcf())
        plt.savefig(file, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
        plt.close()

    plt.show = show


def _check_that_labels_fit(figure: Figure) -> None:
    """Raise a RuntimeError if a title or a label reaches beyond the figure, where a page would cut it off."""
    figure.canvas.draw()
    inside = figure.bbox.padded(1)
    for axes in figure.axes:
        for label in (axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts):
            extent = label.get_window_extent()
            fits = inside.fully_contains(extent.x0, extent.y0) and inside.fully_contains(extent.x1, extent.y1)
            if label.get_text() and not fits:
                raise RuntimeError(f"{label.get_text()!r} reaches beyond the figure: shorten it.")


# What matplotlib draws with. A page shows a drawing as a part of itself, where anything else could run a script, fetch
# something, or cover the page.
_ELEMENTS = frozenset(
    ["svg", "g", "defs", "clipPath", "pattern", "path", "rect", "circle", "use", "text", "tspan", "image"]
)
_ATTRIBUTES = re.compile(
    r"viewBox|id|d|x|y|cx|cy|r|width|height|transform|preserveAspectRatio|patternUnits|style|opacity"
    r"|(clip|fill|stroke)(-[a-z]+)?"
)
_PROPERTIES = re.compile(r"(clip|fill|font|stroke)(-[a-z]+)*|opacity|text-anchor|image-rendering|white-space")
_SVG = "{http://www.w3.org/2000/svg}"
_ADDRESS = re.compile(r"#[\w.-]+|data:image/png;base64,[\w+/=\s]+")
_ELSEWHERE = re.compile(r"url\((?!#)|image(-set)?\(|\\", re.IGNORECASE)  # a backslash could spell the others


def only_draws(svg: str) -> bool:
    """Whether an SVG has nothing but shapes and letters: no script, no style sheet, no address of something else."""
    if "<!" in svg or "<?" in svg:
        return False
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError:
        return False
    return root.tag == f"{_SVG}svg" and all(
        element.tag.removeprefix(_SVG) in _ELEMENTS and all(_is_harmless(*item) for item in element.items())
        for element in root.iter()
    )


def _is_harmless(name: str, value: str) -> bool:
    # A browser reads `xlink:href` as a link, whatever XML says that the prefix stands for.
    name = name.rpartition("}")[2]
    if name == "href":
        return _ADDRESS.fullmatch(value) is not None
    if name == "style":
        properties = (one.partition(":")[0].strip() for one in value.split(";"))
        if not all(_PROPERTIES.fullmatch(one) for one in properties if one):
            return False
    return _ATTRIBUTES.fullmatch(name) is not None and not _ELSEWHERE.search(value)


# Everything below takes time in proportion to what a program has left, whatever that is: no pattern looks for an end
# that may be missing from each of many beginnings.
def for_a_page(svg: str) -> str:
    """An SVG as matplotlib wrote it, without what a page does not need, its colors as the page gives them."""
    svg = svg[max(0, svg.find("<svg")) :]
    for begin, end in (("<metadata>", "</metadata>"), ("<style", "</style>"), ("<!--", "-->")):
        svg = _without(svg, begin, end)
    svg = re.sub(r"<defs>\s*</defs>", "", svg)
    root, closed, rest = svg.partition(">")
    if root.startswith("<svg ") and (box := re.search(r'viewBox="[^"]*"', root)):
        root = (
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'{box[0]} style="stroke-linejoin: round; stroke-linecap: butt"{"/" * root.endswith("/")}'
        )
    svg = root + closed + rest
    svg = re.sub(r"; ?font-family: [^;\"]*|font-family: [^;\"]{0,400}; ?", "", svg)
    svg = re.sub(r"font: (\d+)px [^;\"]*", r"font-size: \1px", svg)
    svg = svg.replace(_TEXT, "currentColor")
    for number, color in enumerate(LINES, 1):
        svg = svg.replace(color, f"var(--tw-plot-{number}, {color})")
    # Coordinates only: a label keeps the number that it says.
    svg = re.sub(r"<[^<>]*>", lambda tag: _NUMBER.sub(lambda match: f"{float(match[0]):.2f}", tag[0]), svg)
    return "\n".join(line for line in map(str.strip, svg.split("\n")) if line) + "\n"


def _without(text: str, begin: str, end: str) -> str:
    """A text without all that stands between a beginning and the first end after it, these included."""
    kept, done = [], 0
    while (start := text.find(begin, done)) >= 0 and (stop := text.find(end, start + len(begin))) >= 0:
        kept.append(text[done:start])
        done = stop + len(end)
    return "".join(kept) + text[done:]
