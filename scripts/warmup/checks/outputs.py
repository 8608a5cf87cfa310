"""What is wrong with the recorded outputs of a snippet, as far as no run is needed to see it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from warmup.content import confirmed, header, outputs, sources
from warmup.project import Problem, relative


def problems(path: Path) -> Iterator[Problem]:
    """Every problem of the outputs beside a snippet."""
    try:
        code = sources.text(path)
        kind = header.parse(code, path).output
    except (OSError, ValueError):
        return  # reported elsewhere
    main, pin = outputs.output_file(path), outputs.recorded_torch()
    files = [main, *(variant.path for variant in outputs.variants(path))]
    for out in files:
        found = outputs.read(out)
        if found is None:
            continue
        again = f"Run: make record Q={_name(path)}"
        if out != main:
            again = f"Delete it, then record it with that torch: {_name(path)}"
        if kind == "exact" and out == main:
            if found.provenance:
                yield Problem(relative(out), 1, "An exact output says where it was recorded.", again)
        elif not found.provenance:
            yield Problem(relative(out), 1, "It does not say where it was recorded.", again)
        elif not found.tied_to(code):
            yield Problem(relative(out), 1, "Its snippet has changed since it was recorded, or it was edited.", again)
    if main.exists():
        for variant in outputs.variants(path):
            if variant.covers(pin):
                yield Problem(
                    relative(variant.path),
                    0,
                    f"It is for {variant.name}, which holds the pinned {pin}.",
                    f"Record {relative(main)} instead.",
                )
    drawing = outputs.drawing_file(path)
    if (drawn := outputs.read_drawing(drawing)) and not drawn.tied_to(code):
        message = "Its snippet has changed since it was drawn, or it was edited."
        yield Problem(relative(drawing), 1, message, f"Run: make record Q={_name(path)}")
    if main.exists() and confirmed.needed(path) and not confirmed.holds(path):
        message = "Not all machines have confirmed it: another one may print something else."
        yield Problem(relative(main), 1, message, f"Run: make record Q={_name(path)}")
    for file in outputs.more_than_stem(path):
        if not outputs.VARIANT.search(file.name):
            yield Problem(
                relative(file),
                0,
                "Its name says no range of torch.",
                "Name it as in zero_grad.torch-from-2.14.out or zero_grad.torch-before-2.12.out.",
            )


def _name(path: Path) -> str:
    return re.sub(r"^snippets/", "", relative(path)).removesuffix(".py")
