"""What a page becomes between Markdown and HTML."""

from __future__ import annotations

from pathlib import Path

import markdown as python_markdown
import pytest
from bs4 import BeautifulSoup

from warmup.kinds.questions import Question
from warmup.site.form import CUT, Form


def test_a_diagram_is_inlined_under_its_description(render, tmp_path):
    (tmp_path / "junior/topic").mkdir(parents=True)
    (tmp_path / "junior/topic/d.svg").write_text('<?xml version="1.0"?><!-- x --><svg><title>d</title><g/></svg>')
    shown = render('![A "flow".](../d.svg)', url="junior/topic/thing/")
    assert shown == ('<figure class="tw-diagram"><svg role="img" aria-label="A &quot;flow&quot;."><g/></svg></figure>')


def test_two_diagrams_of_a_page_have_no_id_in_common(render, tmp_path):
    (tmp_path / "junior/topic").mkdir(parents=True)
    for name in ("a", "b"):
        (tmp_path / f"junior/topic/{name}.svg").write_text('<svg><g id="m"/><g clip-path="url(#m)"/></svg>')
    shown = render("![A](../a.svg)\n\n![B](../b.svg)", url="junior/topic/thing/")
    assert '<g id="figure-1--m"/><g clip-path="url(#figure-1--m)"/>' in shown
    assert '<g id="figure-2--m"/><g clip-path="url(#figure-2--m)"/>' in shown


def test_a_diagram_of_another_page_is_inlined_where_its_text_is_shown(render, tmp_path):
    (tmp_path / "junior/topic").mkdir(parents=True)
    (tmp_path / "junior/topic/d.svg").write_text("<svg><g/></svg>")
    shown = render("![A](../../../../junior/topic/d.svg)", url="about/myths/junior/topic/")
    assert shown == '<figure class="tw-diagram"><svg role="img" aria-label="A"><g/></svg></figure>'


def test_a_picture_within_a_line_stays_a_picture(render, tmp_path):
    (tmp_path / "d.svg").write_text("<svg><g/></svg>")
    assert "<img" in render("A dot ![A](d.svg) here.") and "<img" in render("![A](missing.svg)")


@pytest.fixture
def formed(render):
    """What a question with terms becomes."""

    def formed(body: str, terms: str = "sum, .grad") -> BeautifulSoup:
        page = Question(Path("docs/junior/topic/thing.md"), f"---\ntitle: T\nterms: [{terms}]\n---\n\n{body}")
        return BeautifulSoup(render(body, page), "html.parser")

    return formed


def test_a_heading_is_a_label_and_a_fact_under_the_anchor_of_its_role(formed):
    page = formed("## Run it: Only `backward()` writes\n\nx\n\n## Note: this\n")
    heading = page.select_one("h2#run-it")
    assert heading.select_one(".tw-role").get_text() == "Run it: "  # what one hears; the colon is not seen
    assert heading.get_text().startswith("Run it: Only backward() writes")
    assert page.select_one("h2#note-this") and len(page.select(".tw-role")) == 1


def test_the_contents_name_the_fact(tmp_path):
    form = Form(tmp_path)
    form.page = Question(Path("docs/junior/topic/thing.md"), "---\ntitle: T\n---\n")
    md = python_markdown.Markdown(extensions=["toc", form])
    md.convert("## Run it: Only `backward()` writes\n\n## Say it\n")
    assert [(one["id"], one["name"]) for one in md.toc_tokens] == [
        ("run-it", "Only backward() writes"),
        ("say-it", "Say it"),
    ]


def test_each_term_is_marked_once_where_it_is_said_first(formed):
    page = formed("## Say it\n\nThe summit, the Sum and *a sum*. It goes into x.grad and .grad.\n\n## Why\n\nA sum.\n")
    assert [mark.get_text() for mark in page.select("mark.tw-term")] == ["Sum", ".grad"]
    assert "x.grad and .grad." in page.select_one("p").get_text()


def test_a_term_of_two_words_is_marked_across_the_end_of_a_line(formed):
    page = formed("## Say it\n\nIt needs dynamic\nbatching and .grad.\n", terms="dynamic batching, .grad")
    assert [mark.get_text() for mark in page.select("mark")] == ["dynamic\nbatching", ".grad"]


def test_what_is_asked_first_says_so_behind_its_question(formed):
    page = formed('## They ask next\n\n??? question first "Why?"\n\n    A\n\n??? question "And?"\n\n    B\n')
    assert [one.get_text() for one in page.select("summary")] == ["Why?Asked first", "And?"]
    assert page.select_one("details.first .tw-asked")


def test_what_is_deeper_is_folded_below_the_cut_but_for_the_exceptions(formed):
    page = formed(
        "## Say it\n\nsum .grad\n\n## Deeper\n\n### Where it stops being true\n\nopen\n\n### Myth: It is not\n\n"
        "folded\n\n### Another\n\nfolded too\n\n## Sources\n\n- s\n"
    )
    story, _, deeper = str(page).partition(f"<!--{CUT}-->")
    assert "Say it" in story and "Deeper" not in story
    folds = BeautifulSoup(deeper, "html.parser").select("details.tw-deeper")
    assert [fold.summary.find(["h2", "h3"])["id"] for fold in folds] == ["myth", "another", "sources"]
    assert "folded" in folds[0].get_text() and "open" not in "".join(fold.get_text() for fold in folds)


def test_a_link_to_a_heading_that_a_page_had_once_lands_at_the_cut(formed):
    page = formed("## Say it\n\nsum .grad\n\n## Why: It is so\n\nx\n\n## Deeper\n\n### Myth: It is not\n\ny\n")
    assert [one.name for one in page.select("#why, #break-it, #myth")] == ["h2", "div", "h3"]
    assert page.select_one("#break-it").find_next_sibling().name == "h2"


def test_the_cells_of_a_wide_table_know_their_columns(render):
    wide = "| If | Then |\n|---|---|\n| a | {} |\n"
    assert "data-column" not in render(wide.format("b"))
    page = BeautifulSoup(render(wide.format("b " * 40)), "html.parser")
    assert page.table.has_attr("data-stack")
    assert [cell["data-column"] for cell in page.select("td")] == ["If", "Then"]


def test_a_picture_has_its_title_as_its_caption(render, tmp_path):
    (tmp_path / "d.svg").write_text("<svg><g/></svg>")
    shown = BeautifulSoup(render('![A flow](d.svg "Look at < here.")'), "html.parser")
    assert shown.figcaption.get_text() == "Look at < here." and shown.svg["aria-label"] == "A flow"
