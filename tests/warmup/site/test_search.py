"""What the search's index takes of a page."""

from __future__ import annotations

from types import SimpleNamespace

from warmup.site.search import entry


def page(url="labs/one/", **meta):
    return SimpleNamespace(url=url, title="One", meta=meta)


def parts(shown, url="labs/one/"):
    return entry(shown, page(url))["parts"]


def test_a_page_is_cut_at_headings_and_the_names_of_folds():
    shown = '<p>First.</p><h2 id="a">Why<a class="headerlink">x</a></h2><p>A <code>b</code>.</p>'
    shown += "<details><summary>Really?</summary><p>Yes.</p></details>"
    assert parts(shown) == [("", "First."), ("Why", "A b."), ("Really?", "Yes.")]


def test_cells_headings_and_lines_are_apart():
    shown = "<h2>Cheat sheet</h2><table><tr><th>Tensors</th><th>Autograd</th></tr><tr><td>a</td><td>b</td></tr></table>"
    assert parts(shown + "<h3>Modules</h3><ul><li>c</li><li>d</li></ul>") == [
        ("Cheat sheet", "Tensors · Autograd · a · b"),
        ("Modules", "c d"),
    ]


def test_of_code_the_names_are_found_and_of_outputs_the_errors():
    code = '<div class="highlight"><pre>x = torch.<b>nn</b>.Linear(2, bias_too=1)\nlocal_name = 3</pre></div>'
    output = '<div class="tw-output"><pre>1.0\nRuntimeError: no\n2</pre></div>'
    made = entry(code + output, page())
    assert made["names"] == "Linear bias_too"
    assert made["parts"] == [("", "RuntimeError: no")]


def test_an_error_is_found_by_its_message_also_where_that_goes_on_in_the_next_line():
    def found(printed):
        return parts(f'<div class="tw-output"><pre>{printed}</pre></div>')

    assert found("  labels 1 to 3   IndexError\n      Target 3 is out of bounds.\nnext   1.0") == [
        ("", "labels 1 to 3 IndexError Target 3 is out of bounds.")
    ]
    full = "ValueError: Expected more than 1 value per channel when training, got input size"
    assert found(f"1.0\n{full}\n[1, 8]\nnext 2.0") == [("", f"{full} [1, 8]")]
    assert found("KeyError: a\nnext 2.0\n\n  indented") == [("", "KeyError: a")]


def test_what_a_puzzle_and_a_trainer_keep_back_is_not_found():
    shown = (
        '<p>Seen</p><div class="tw-guesses">guess</div><details class="tw-answer"><summary>A</summary>hidden</details>'
    )
    shown += "<details><summary>What was wrong</summary><p>secret</p></details><p>more</p>"
    assert parts(shown) == [("", "Seen")]
    assert parts("<p>Seen</p><h2>A puzzle</h2><p>text</p>", "practice/predict/mid/data/") == [
        ("", "Seen"),
        ("A puzzle", ""),
    ]


def test_formulas_drawings_and_forms_are_left_out():
    assert parts("<p>a<math>x</math><svg><text>y</text></svg> b<select><option>c</option></select></p>") == [
        ("", "a b")
    ]


def test_titles_are_text():
    assert entry("", page(title="a &lt; b"))["title"] == "a < b"
