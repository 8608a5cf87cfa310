"""Drawing a diagram with a program that stands in for Graphviz: it writes what it reads into its title."""

from __future__ import annotations

import os

import pytest

from warmup.content import diagrams
from warmup.dev.draw import draw
from warmup.project import ProblemError

STAND_IN = """#!/bin/sh
grep -q digraph "$2" || { echo "syntax error in line 1" >&2; exit 1; }
echo '<?xml version="1.0"?>'
echo "<svg><title>$1 $(cat "$2")</title></svg>"
"""


@pytest.fixture
def source(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "dot"
    program.parent.mkdir()
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    source = tmp_path / "kept.dot"
    source.write_text("digraph { a -> b }\n")
    return source


def test_it_draws_beside_the_source_and_says_whether_that_changed_anything(source):
    assert draw(source)
    assert "<title>-Tsvg digraph { a -> b }</title>" in source.with_suffix(".svg").read_text()
    assert diagrams.is_drawn_from(source)
    assert not draw(source)
    source.write_text("digraph { a -> c }\n")
    assert draw(source)
    assert diagrams.is_drawn_from(source)


def test_what_graphviz_cannot_read_is_said_and_the_old_diagram_stays(source):
    draw(source)
    before = source.with_suffix(".svg").read_text()
    source.write_text("graf { }\n")
    with pytest.raises(ProblemError, match="Graphviz cannot read it. syntax error in line 1"):
        draw(source)
    assert source.with_suffix(".svg").read_text() == before


def test_without_graphviz_it_says_how_to_install_it(source, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ProblemError, match="Graphviz, which draws it, is not installed. Install it: `apt install"):
        draw(source)
