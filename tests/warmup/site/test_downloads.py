"""What stands in front of a program that readers download."""

from __future__ import annotations

import json

import pytest

from warmup.content import header
from warmup.kinds import levels
from warmup.site.downloads import Labels

ONE = "junior/autograd/thing.py"
GPU = '# /// script\n# dependencies = ["torch"]\n#\n# [tool.warmup]\n# needs = "cuda"\n# ///\nprint(1)\n'


@pytest.fixture
def root(sample):
    """The sample as a project with a pin of its own."""
    (sample / "requirements-test.txt").write_text("torch==9.9.9\n")
    return sample


def label(root, program: str, address: str = "https://example.com/site/") -> list[str]:
    return Labels(levels.load(root / "docs"), "Warm", address, root).label(program).split("\n")


def versions(root, **outputs: int) -> None:
    (root / "tests").mkdir(exist_ok=True)
    seen = [
        {"torch": name.strip("v").replace("_", "."), "python": "3", "day": "2026-01-01", "outputs": count, "claims": 1}
        for name, count in outputs.items()
    ]
    (root / "tests/versions.json").write_text(json.dumps(seen))


@pytest.mark.parametrize("address", ["https://example.com/site/", ""])
def test_a_label_is_title_address_where_known_license_and_torch(root, address):
    question = levels.load(root / "docs").by_id["junior/autograd/thing"]
    assert label(root, ONE, address) == [
        f"# {question.title}",
        *([f"# {address}junior/autograd/thing/"] if address else []),
        "# From Warm, under the MIT license.",
        "# Its output was recorded with torch 9.9.9, CPU.",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("program", "page"),
    [
        ("practice/write/add/judge.py", "practice/write/add/"),
        ("practice/write/add/starter.py", "practice/write/add/"),
        ("practice/trainers/stands-still/fixed.py", "practice/trainers/stands-still/"),
        ("practice/predict/add_two.py", "practice/predict/junior/autograd/#add-two"),
    ],
)
def test_each_kind_of_program_leads_to_its_page(root, program, page):
    assert f"# https://example.com/site/{page}" in label(root, program)
    tested = "Tested" if "write" in program else "Its output was recorded"
    assert f"# {tested} with torch 9.9.9, CPU." in label(root, program)


def test_a_program_of_two_pages_leads_to_the_one_that_has_its_name(root):
    first, second = levels.load(root / "docs").questions[:2]
    program = second.snippets[0]
    first.path.write_text(first.path.read_text() + f'\n```python title="x.py"\n--8<-- "{program}"\n```\n')
    assert program in levels.load(root / "docs").questions[0].snippets
    assert f"# https://example.com/site/{second.url}" in label(root, program)


def test_a_program_for_a_gpu_says_what_it_was_run_on_or_that_it_was_not(root):
    (root / "snippets" / ONE).write_text(GPU)
    (root / "snippets" / ONE).with_suffix(".out").unlink()
    assert "# It needs a CUDA GPU. No run of ours has had one so far, so it is not tested." in label(root, ONE)
    (root / "snippets" / ONE).with_suffix(".out").write_text("# recorded on a GPU X, torch 9.8, 2026-01-02\n1\n")
    assert "# Its output was recorded on a GPU X, torch 9.8, 2026-01-02." in label(root, ONE)


def test_other_versions_are_named_if_they_ran_as_many_programs_as_there_are_today(root):
    versions(root, v9_7_0=1, v9_8_0=1000, v9_9_9=1000)
    text = " ".join(label(root, ONE))
    assert "All programs of the site were also run with torch 9.8.0." in text.replace(" # ", " ")


def test_a_long_title_is_wrapped_and_what_python_reads_is_the_same(root):
    page = root / "docs/junior/autograd/thing.md"
    title = levels.load(root / "docs").by_id["junior/autograd/thing"].title
    page.write_text(page.read_text().replace(title, "How long " + "and long " * 15 + "is it?", 1))
    labels = Labels(levels.load(root / "docs"), "Warm", "", root)
    text = labels.labelled(ONE, GPU)
    assert text.endswith("\n\n" + GPU) and max(map(len, text.split("\n"))) <= 84
    assert all(line.startswith("# ") for line in text.removesuffix(GPU).strip().split("\n"))
    assert header.parse(text, ONE).needs == {"cuda"}
    compile(labels.labelled(ONE, "from __future__ import annotations\n"), ONE, "exec")
