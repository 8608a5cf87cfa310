"""From a page's source to what the site shows."""

from __future__ import annotations

import pytest

from warmup import vocabulary
from warmup.content import levels, outputs
from warmup.content.page import Page
from warmup.content.questions import Question
from warmup.project import ProblemError
from warmup.site import render
from warmup.site.render import Renderer, finish, output_block

HEADER = '# /// script\n# dependencies = ["torch>=2.11"]\n#\n# [tool.warmup]\n# needs = "cuda"\n# ///\n'


@pytest.fixture
def renderer(tmp_path):
    folder = tmp_path / "snippets" / "junior" / "topic"
    folder.mkdir(parents=True)
    (folder / "thing.py").write_text(HEADER + "print('<b>')\n")
    (folder / "thing.out").write_text("<b>\n")
    (tmp_path / "requirements-test.txt").write_text("torch==9.9.9\n")
    (tmp_path / "tests" / "snippets").mkdir(parents=True)
    return Renderer(levels.Site([], []), tmp_path)


def expand(renderer, markdown):
    return renderer.expand(markdown, "junior/topic/thing/", renderer.root / "docs/junior/topic/thing.md")


def test_an_include_becomes_the_file_without_its_header(renderer):
    text = expand(renderer, '```python title="thing.py"\n--8<-- "junior/topic/thing.py"\n```')
    assert text == (
        '```python title="thing.py" download="../../../snippets/junior/topic/thing.py"\nprint(\'<b>\')\n```'
    )


def test_a_fence_that_only_quotes_a_snippet_has_no_download(renderer):
    text = expand(renderer, '```text\n--8<-- "junior/topic/thing.py"\n```')
    assert text == "```text\nprint('<b>')\n```"


def test_the_same_code_in_two_files_is_two_downloads(monkeypatch, tmp_path):
    monkeypatch.setattr(render, "HIGHLIGHTED", tmp_path)
    shown = [
        render.python_fence("pass", "python", "", options, None)
        for options in (
            {"title": "a.py", "download": "../x/a.py"},
            {"title": "a.py", "download": "../y/a.py"},
            {"title": "a.py"},
            {},
        )
    ]
    assert len(list(tmp_path.iterdir())) == 1, "The markup is kept by content."
    link = '<a class="tw-download" href="../{}/a.py" download aria-label="Download a.py">Download</a>'
    assert [link.format("x") in shown[0], link.format("y") in shown[1]] == [True, True]
    assert "<a " not in shown[2] + shown[3]


def test_an_include_keeps_the_indentation_of_a_fold(renderer):
    text = expand(renderer, '??? question "Q?"\n\n    ```python\n    --8<-- "junior/topic/thing.py"\n    ```')
    assert "\n    print('<b>')\n    ```" in text


def test_an_exact_output_is_labeled_with_the_pinned_torch(renderer):
    text = expand(renderer, '```output\n--8<-- "junior/topic/thing.out"\n```')
    assert text == '```output file="junior/topic/thing.out"\n<b>\n```'
    assert renderer.output(renderer.snippets / "junior/topic/thing.out").recorded == "torch 9.9.9, CPU"


FENCE = '```output\n--8<-- "junior/topic/thing.out"\n```'


def shown(renderer):
    """The output as its page shows it: expanded, then formatted with the options that its fence was given."""
    opening, *body = expand(renderer, FENCE).split("\n")[:-1]
    options = {"file": opening.partition('file="')[2].rstrip('"')}
    return renderer.output_fence("\n".join(body), "output", "", options, None)


def test_a_recorded_output_is_labeled_with_what_its_first_line_says_escaped_once(renderer):
    out = renderer.snippets / "junior/topic/thing.out"
    out.write_text(outputs.written("5\n", "", 'AT&T "X"', "1", "2026-01-01"))
    assert expand(renderer, FENCE).split("\n")[1:] == ["5", "```"]
    text = shown(renderer)
    assert '<span class="tw-output__with">recorded on AT&amp;T &quot;X&quot;, torch 1, 2026-01-01</span>' in text
    assert "fingerprint" not in text


def test_a_measured_output_says_how_far_its_numbers_vary(renderer):
    folder = renderer.snippets / "junior/topic"
    header = '# [tool.warmup]\n# output = "measured"\n# tolerance = 0.02'
    (folder / "thing.py").write_text(f"# /// script\n{header}\n# ///\n")
    (folder / "thing.out").write_text(outputs.written("5\n", "", "X", "1", "2026-01-01"))
    assert "2026-01-01; numbers vary between machines within 2 %</span>" in shown(renderer)


def test_what_another_torch_prints_is_named_below_the_recorded_output(renderer):
    folder = renderer.snippets / "junior/topic"
    (folder / "thing.torch-from-9.10.out").write_text(outputs.written("<b>\n<i>\n", "", "X", "9.10", "2026-01-01"))
    text = shown(renderer)
    assert "<summary>With torch 9.10 and later</summary>" in text
    assert text.count("&lt;b&gt;") == 1
    assert text.count("&lt;i&gt;") == 1


def test_an_unrecorded_output_says_so_and_shows_nothing_invented(renderer):
    (renderer.snippets / "junior/topic/thing.out").unlink()
    text = shown(renderer)
    assert "Not recorded yet." in text
    assert "<pre" not in text


def test_an_include_that_does_not_exist_names_page_and_file(renderer):
    with pytest.raises(ProblemError, match=r"thing\.md: It includes snippets/junior/gone\.py"):
        expand(renderer, '```python\n--8<-- "junior/gone.py"\n```')


def test_an_unknown_marker_lists_the_known_ones(renderer):
    with pytest.raises(ProblemError, match=r"Unknown marker warmup:nonsense\. Known: .*questions"):
        expand(renderer, "<!-- warmup:nonsense -->")


def test_a_marker_inside_a_fence_is_text(renderer):
    assert expand(renderer, "```text\n<!-- warmup:nonsense -->\n```") == "```text\n<!-- warmup:nonsense -->\n```"


def test_output_is_escaped_and_errors_are_marked():
    shown = output_block("<script>\nRuntimeError: no\nloss 0.1", "x")
    assert "&lt;script&gt;" in shown
    assert '<span class="tw-error">RuntimeError: no</span>' in shown
    assert shown.count("tw-error") == 1


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("TypeError: x", True),
        ("torch._dynamo.exc.Unsupported: y", True),
        ("  UserWarning: z", True),
        ("no Error here", False),
        ("ReLU            RuntimeError", False),
        ("error rate 0.1", False),
        ("Sigmoid  output  RuntimeError: one of", True),
        ("loss 0.3: fine", False),
        ("  ValueError", True),
    ],
)
def test_which_lines_are_errors(line, marked):
    assert bool(render.ERROR_LINE.match(line)) is marked


def test_math_becomes_mathml(tmp_path):
    shown = finish(r'<p><span class="arithmatex">\(p - y\)</span></p>', tmp_path)
    assert "<math" in shown
    assert "arithmatex" not in shown


def test_math_that_does_not_convert_says_which_formula(tmp_path):
    with pytest.raises(ValueError, match=r"\\notacommand"):
        finish(r'<p><span class="arithmatex">\(\notacommand{x}\)</span></p>', tmp_path)


def test_a_diagram_is_inlined_under_its_description(tmp_path):
    (tmp_path / "d.svg").write_text('<?xml version="1.0"?><!-- x --><svg><title>d</title><g/></svg>')
    shown = finish('<p><img alt="A flow." src="../d.svg" /></p>', tmp_path)
    assert shown == '<figure class="tw-diagram"><svg role="img" aria-label="A flow."><g/></svg></figure>'


def test_two_diagrams_of_a_page_have_no_id_in_common(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.svg").write_text('<svg><g id="m"/><g clip-path="url(#m)"/></svg>')
    shown = finish('<p><img alt="A" src="../a.svg" /></p><p><img alt="B" src="../b.svg" /></p>', tmp_path)
    assert '<g id="figure-1--m"/><g clip-path="url(#figure-1--m)"/>' in shown
    assert '<g id="figure-2--m"/><g clip-path="url(#figure-2--m)"/>' in shown


@pytest.mark.parametrize(
    ("slug", "label"),
    [
        ("ddp", "DDP"),
        ("zero-grad", "Zero grad"),
        ("in-place-error", "In-place error"),
        ("grad-scaler", "Grad scaler"),
        ("softmax-cross-entropy-gradient", "Softmax cross-entropy gradient"),
        ("fp16-vs-bf16", "FP16 vs BF16"),
        ("low-gpu-utilization", "Low GPU utilization"),
        ("training-loop", "Training loop"),
    ],
)
def test_slugs_are_written_as_people_write_them(slug, label):
    assert vocabulary.label(slug) == label


def test_links_in_a_gathered_myth_still_reach_their_pages(tmp_path):
    folder = tmp_path / "docs/junior/topic"
    folder.mkdir(parents=True)
    question = Question(
        folder / "thing.md",
        "---\ntitle: T\n---\n\n## Myth\n\n[a](../other/x.md#why), [b](#why), [c](https://example.com), [d](y.md)\n",
    )
    topic = levels.Topic(Page(folder / "index.md", "---\ntitle: x\n---\n"), [question])
    site = levels.Site([levels.Level("junior", [topic])], [])
    text = "\n".join(Renderer(site, tmp_path)._myths("about/myths/", tmp_path / "docs/about/myths.md"))
    assert "[a](../junior/other/x.md#why)" in text
    assert "[b](../junior/topic/thing.md#why)" in text
    assert "[c](https://example.com)" in text
    assert "[d](../junior/topic/y.md)" in text
    assert "](../junior/topic/thing.md#myth)" in text
