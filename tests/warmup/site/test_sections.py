"""A page's HTML is cut at the marks that the build put around its sections, folds and bullets."""

from __future__ import annotations

from pathlib import Path

import pytest

from warmup.kinds.questions import Question
from warmup.site import marks
from warmup.site.sections import Sections

HEAD = "---\ntitle: Why?\n---\n\n"
LADDER = "- **Weak**: No.\n- **Good**: Yes.\n- **Strong**: Because.\n"
FOLLOW_UPS = '??? question "First?"\n\n    A\n\n??? question "Second?"\n\n    B\n\n'
PAGE = f"## They ask next\n\n{FOLLOW_UPS}## Listening for\n\n{LADDER}"


@pytest.fixture
def cut(render):
    """The sections of a question of this text, as the site shows it."""

    def cut(text: str) -> Sections:
        page = Question(Path("docs/junior/autograd/order.md"), f"{HEAD}{text}")
        return Sections.of(render(text, page))

    return cut


def test_a_page_is_cut_at_its_h2_headings(cut):
    page = cut("Before.\n\n## Say it\n\na\n\n### x\n\nb\n\n## Why\n\nc\n\n## Run it\n\nd\n")
    assert page.say == '<p>a</p>\n<h3 id="x">x</h3>\n<p>b</p>'
    assert page.run == "<p>d</p>"


def test_what_readers_get_has_no_mark_and_paper_no_link_of_a_heading(cut):
    page = cut(f"## Say it\n\na\n\n{PAGE}")
    assert "<!--" in page.marked
    assert "<!--" not in page.html and 'class="headerlink"' in page.html
    assert "<!--" not in page.paper and "headerlink" not in page.paper


def test_only_the_outermost_folds_are_follow_ups(cut):
    page = cut(
        '## They ask next\n\n??? question "First?"\n\n    a\n\n    ??? question "inner"\n\n        x\n\n'
        'Between.\n\n??? note "A note"\n\n    n\n\n??? question here "Second `x`?"\n\n    b\n'
    )
    first, second = page.follow_ups
    assert first[0] == "First?" and first[1].startswith("<p>a</p>") and "<summary>inner</summary>" in first[1]
    assert second == ("Second <code>x</code>?", "<p>b</p>")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- **{}**: says it.\n", "says it."),
        ("- **{}** says it.\n", "says it."),
        ("\n- **{}**: says\n\n    it.\n\n    - a\n", "says</p>\n<p>it.</p>\n<ul>\n<li>a</li>\n</ul>"),
    ],
)
def test_the_ladder_is_its_three_texts(cut, text, shown):
    grades = ("Weak", "Good", "Strong")
    ladder = "".join(text.format(grade) for grade in grades)
    assert cut(f"## Listening for\n\n{ladder}\n\nc\n").ladder == [(grade, shown) for grade in grades]


def test_what_cards_would_lose_of_a_page_is_a_problem(render):
    page = Question(Path("docs/junior/autograd/order.md"), f"{HEAD}{PAGE}")

    def lost(shown: str) -> list[str]:
        return [problem.message[:18] for problem in Sections.of(render(shown, page)).lost(page)]

    assert lost(PAGE) == []
    assert lost(PAGE.replace('??? question "Second?"', '??? note "Second?"')) == ["They ask next has "]
    assert lost(PAGE.replace("**Good**", "*Good*")) == ["Listening for has "]
    assert lost("Nothing.") == ["They ask next has ", "Listening for has "]


def test_a_download_is_taken_out_and_no_other_link(cut):
    link = marks.around("download", '<a class="tw-download" href="a.py" download>Download</a>')
    assert marks.without("download", f'<p>{link}<a href="a.py">b</a>{link}</p>') == '<p><a href="a.py">b</a></p>'


def test_a_script_reaches_no_card(cut):
    assert cut("## Say it\n\nt<SCRIPT>x()</SCRIPT >\n").say == "<p>t</p>"
