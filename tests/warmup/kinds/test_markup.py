"""What is wrong with Markdown wherever it stands: folds without an answer, scripts, fences that would not run."""

from __future__ import annotations

import re

import nbformat
import pytest

from warmup import checks
from warmup.content import markdown
from warmup.kinds import labs, levels, markup


def problems(sample) -> list[str]:
    found = checks.problems(levels.load(sample / "docs"), sample / "snippets")
    return [str(problem).replace(f"{sample}/docs/", "") for problem in found]


QUESTION, EXERCISE = "junior/autograd/thing.md", "practice/write/add.md"
TRAINER, PUZZLE = "practice/trainers/stands-still.md", "practice/predict/add-two.md"
EMPTY = "This fold has no answer. Write it below, each line indented by four spaces more than this one."
SILENT = "This grade says nothing. Write behind it what such an answer sounds like."
OUTSIDE = "This text is outside the fold above it. Indent it by four spaces."


@pytest.mark.parametrize(
    ("page", "old", "new", "expected"),
    [
        (QUESTION, '"Why?"\n\n    Because.\n', '"Why?"\n', f"30: {EMPTY}"),
        (QUESTION, "    Because.\n", "Because.\n", f"30: {EMPTY}"),
        (QUESTION, "    Because.\n", "  Because.\n", f"30: {EMPTY}"),
        (QUESTION, "    Because.\n", "\tBecause.\n", f"30: {EMPTY}"),
        (QUESTION, "    Because.\n", "    <!-- because -->\n", f"30: {EMPTY}"),
        (QUESTION, "    Because.\n", '    ??? tip "So?"\n', f"32: {EMPTY}"),
        (QUESTION, "    Because.\n", "    Because.\n\nOf that.\n", f"34: {OUTSIDE}"),
        (QUESTION, "    Because.\n", "    Because\nof that.\n", f"33: {OUTSIDE}"),
        (QUESTION, "## They", '??? question "What does it print?"\n\n## They', f"28: {EMPTY}"),
        (QUESTION, "## They", "??? question What\n\n    1\n\n## They", "28: This line opens no fold. Write it as"),
        (QUESTION, "**Weak**: a word", "**Weak**:", f"48: {SILENT}"),
        (QUESTION, "**Strong**: a consequence", "**Strong**:\n\nA consequence", f"50: {SILENT}"),
        (QUESTION, "consequence", "consequence\n\nAnd more.", "52: This text is outside the grades. Write it"),
        (EXERCISE, "    Which operator?\n", "", f"25: {EMPTY}"),
        (EXERCISE, "    Not minus.", "Not minus.", f"29: {EMPTY}"),
        (EXERCISE, "    Twice a plus.", "Twice a plus.", f"47: {EMPTY}"),
        (EXERCISE, '**Good**: "A plus."', "**Good**:", f"54: {SILENT}"),
        (TRAINER, "    Print the step.\n", "", f"31: {EMPTY}"),
        (TRAINER, '**Weak**: "It is slow."', "**Weak**:", f"65: {SILENT}"),
        (PUZZLE, "says.", 'says.\n\n??? tip "More"', f"14: {EMPTY}"),
    ],
)
def test_a_fold_or_a_grade_without_an_answer_is_one_problem(sample, page, old, new, expected):
    path = sample / "docs" / page
    text = path.read_text(encoding="utf-8")
    assert old in text and problems(sample) == []
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    [found] = [one for one in problems(sample) if "folded follow-ups" not in one]
    assert found.startswith(f"{page}:{expected}")


def test_an_answer_may_be_a_list_or_go_on_in_another_paragraph(sample):
    path = sample / "docs" / QUESTION
    text = path.read_text(encoding="utf-8").replace("    Because.", "    - Because\n    of that.\n\n\n    So.")
    text = text.replace("- **Good**: a reason", "- **Good**:\n    a reason\n\n    and another")
    path.write_text(text, encoding="utf-8")
    assert problems(sample) == []


SCRIPTS = [
    ("<script>x</script>", "<script>"),
    ("a\nb `c`\n<iframe src=x>", "<iframe>"),
    ("a ` b\n\nc\n<SCRIPT src=x>", "<SCRIPT>"),
    ("<div>`<script>x</script>`</div>", "<script>"),
    ("a <b onclick='x'>b</b>", "onclick="),
    ("<img/onerror=x>", "onerror="),
    ("<div title='a'\n onload=x>", "onload="),
    ("<img src='a>b' onload=x>", "onload="),
    ('x="<script>x</script>"', "<script>"),
    ("<meta http-equiv=refresh content='0; url=x'>", "<meta>"),
    ("<link rel=stylesheet href=x>", "<link>"),
    ("[x](y){ onclick=x }", "onclick="),
    ("{: onload=x }", "onload="),
    ("{onload=x}", "onload="),
    ("[x](javascript:alert(1))", "javascript:"),
    ("[x](java&#115;cript:x)", "javascript:"),
    ("[x](<JavaScript:x>)", "javascript:"),
    ("[x]: javascript:x", "javascript:"),
    ("<a href='javascript:x'>a</a>", "javascript:"),
    ("<javascript:x>", "javascript:"),
    ("[x](data:text/html,x)", "javascript:"),
    ("`<script>` and ``a ` <script onclick=x>``", ""),
    ("```html\n<script>x</script>\n```", ""),
    ("f(one=1) {one=1} {once = 1} turn <on = x> <a href='?one=1'>one = x</a>", ""),
    ("In JavaScript: a script, a form and onclick=x.", ""),
]


@pytest.mark.parametrize(("text", "what"), SCRIPTS)
def test_what_would_run_in_a_reader_s_browser_is_a_problem(text, what):
    found = list(markup.scripts(markdown.lines(f"Text.\n\n{text}\n")))
    told = f"A page runs no script of its own, and this would: {what}"
    assert [message for _, message, _ in found] == [told] * bool(what)
    assert [line for line, _, _ in found] == [3 + text.count("\n", 0, text.find(what.strip("<>"))) for _ in found]


@pytest.mark.parametrize("page", [QUESTION, EXERCISE, TRAINER, PUZZLE])
def test_no_page_has_a_script(sample, page):
    path = sample / "docs" / page
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("---\n\n", "---\n\n<script>x</script>\n\n", 1), encoding="utf-8")
    [found] = problems(sample)
    assert re.match(rf"{page}:\d+: A page runs no script", found)


def test_no_lab_has_a_script_or_an_empty_fold(sample):
    path = sample / "docs/labs/square.ipynb"
    before = list(labs.problems(path))
    notebook = nbformat.read(path, as_version=4)
    cell = nbformat.v4.new_markdown_cell('Text.\n\n??? question "Why?"\n\n<script>x</script>', id="added")
    notebook.cells.insert(0, cell)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    added = [problem.message for problem in labs.problems(path) if problem not in before]
    assert added == [
        "cell 'added', line 3: This fold has no answer.",
        "cell 'added', line 5: A page runs no script of its own, and this would: <script>",
    ]


def test_no_output_of_a_lab_has_a_script(sample):
    path = sample / "docs/labs/square.ipynb"
    notebook = nbformat.read(path, as_version=4)
    cell = notebook.cells[-1]
    cell.outputs.append(nbformat.v4.new_output("display_data", data={"text/markdown": "| a |\n\n<script>x</script>"}))
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    message = f"cell '{cell.id}', line 3: A page runs no script of its own, and this would: <script>"
    assert message in [problem.message for problem in labs.problems(path)]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("```python", False),
        ('```python title="a.py"', False),
        ("```text", False),
        ("    ```python", False),
        ("```py", True),
        ("~~~ pycon", True),
        ("    ````Python3", True),
        ("```python hl_lines=1", True),
    ],
)
def test_which_fences_are_misspelled(line, wrong):
    closing = re.match(r"\s*(`+|~+)", line)[0]
    found = markup.fences(markdown.lines(f"\n{line}\n{closing}\n"))
    assert [number for number, _, _ in found] == [2] * wrong


@pytest.mark.parametrize("indent", ["", "    "])
@pytest.mark.parametrize("mark", ["```python", "~~~"])
def test_a_fence_is_as_wide_as_a_page(mark, indent):
    fits, wide = "x" * markup.COLUMNS, "x" * (markup.COLUMNS + 1)
    rows = [wide, mark, fits, wide, mark[:3], wide]
    found = markup.fences(markdown.lines("\n".join(indent + row for row in rows)))
    assert [(number, message) for number, message, _ in found] == [(4, "The line has 85 columns; at most 84.")]


def test_an_include_is_as_long_as_its_path_since_no_page_shows_it():
    rows = ["```python", f'--8<-- "mid/autograd/{"x" * markup.COLUMNS}.py"', "```"]
    assert not list(markup.fences(markdown.lines("\n".join(rows))))


def test_any_markdown_of_the_project_is_looked_at(tmp_path):
    path = tmp_path / "some.md"
    path.write_text('??? tip "a"\n\n<script>x</script>\n\n```py\n```\n')
    assert [problem.line for problem in markup.problems(path)] == [1, 3, 5]
