"""The PEP 723 header of a snippet."""

import pytest

from warmup.content.header import Header, HeaderError, parse

PATH = "snippets/junior/autograd/x.py"


def block(*lines: str) -> str:
    return "\n".join(
        ["# /// script", *(f"# {line}" if line else "#" for line in lines), "# ///", "", "import torch", ""]
    )


def test_a_snippet_without_a_header_gets_the_defaults():
    assert parse("import torch\n", PATH) == Header()
    assert Header() == Header((), frozenset(), "exact", "", 20.0, 0, 0)


def test_a_full_header_is_read_and_its_lines_are_known():
    text = "# a comment\n" + block(
        'requires-python = ">=3.11"',
        'dependencies = ["torch", "scikit-learn"]',
        "",
        "[tool.warmup]",
        'needs = ["multiprocess", "compiler"]',
        'output = "recorded"',
        'slow = "compiles twice"',
        "timeout = 90",
    )
    needs = frozenset({"multiprocess", "compiler"})
    assert parse(text, PATH) == Header(("torch", "scikit-learn"), needs, "recorded", "compiles twice", 90.0, 2, 11)


@pytest.mark.parametrize(
    ("dependencies", "packages"),
    [
        ('["torch>=2.11"]', ()),
        ('["torch", "numpy"]', ("numpy",)),
        (
            '["numpy>=2", "Scikit_Learn[all]", "torch==2.13.0", "torch-geometric; sys_platform == \'linux\'"]',
            ("numpy", "scikit-learn", "torch-geometric"),
        ),
    ],
)
def test_what_to_install_beside_torch_is_known_by_name(dependencies, packages):
    assert parse(block(f"dependencies = {dependencies}"), PATH).packages == packages


def test_a_measured_output_says_how_far_its_numbers_may_differ():
    header = parse(block("[tool.warmup]", 'output = "measured"', "tolerance = 0.02"), PATH)
    assert (header.output, header.tolerance) == ("measured", 0.02)


def test_cuda_implies_a_recorded_output():
    header = parse(block("[tool.warmup]", 'needs = "cuda"'), PATH)
    assert (header.needs, header.output) == (frozenset({"cuda"}), "recorded")


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ('needs = "multiprocess"', 20),
        ('needs = "compiler"', 60),
        ('slow = "trains"', 60),
        ("timeout = 0.5", 0.5),
    ],
)
def test_the_timeout_follows_from_the_header(line, seconds):
    assert parse(block("[tool.warmup]", line), PATH).timeout == seconds


def test_tables_of_other_tools_and_other_blocks_are_left_alone():
    text = block("[tool.uv]", 'exclude-newer = "2026-11-01T00:00:00Z"') + "# /// other\n# not toml\n# ///\n"
    assert parse(text, PATH) == Header(start=1, end=4)


def test_windows_line_ends_are_read():
    text = block("[tool.warmup]", 'needs = "cuda"').replace("\n", "\r\n")
    assert parse(text, PATH).needs == {"cuda"}


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        (("a = [", "b = 1"), 3, "not TOML"),
        (("dependencies = ",), 2, "not TOML"),
        (("dependencies = [",), 2, "not TOML"),
        (("depends = []",), 2, "The script block has an unknown key, 'depends'"),
        (("[tool.warmup]", "", 'need = "cuda"'), 4, "[tool.warmup] has an unknown key, 'need'"),
        (("[tool.warmup]", 'needs = "gpu"'), 3, "Unknown need 'gpu'"),
        (("[tool.warmup]", "needs = 1"), 3, "needs is not a list"),
        (("[tool.warmup]", 'output = "exakt"'), 3, "Unknown output 'exakt'"),
        (("[tool.warmup]", 'output = "exact"', 'needs = "cuda"'), 3, "needs cuda"),
        (("[tool.warmup]", 'output = "measured"', 'needs = "cuda"'), 3, "needs cuda"),
        (("[tool.warmup]", 'output = "measured"'), 3, "needs a tolerance"),
        (("[tool.warmup]", 'output = "measured"', "tolerance = 0.0"), 4, "tolerance is not a number above zero"),
        (("[tool.warmup]", 'output = "measured"', "tolerance = 2"), 4, "needs a tolerance"),
        (("[tool.warmup]", "tolerance = 0.1"), 3, "no meaning where output is exact"),
        (("[tool.warmup]", "slow = true"), 3, "slow is not a text"),
        (("[tool.warmup]", 'slow = ""'), 3, "gives no reason"),
        (("[tool.warmup]", "timeout = 0"), 3, "not a number above zero"),
        (("[tool.warmup]", "timeout = true"), 3, "not a number above zero"),
        (("[tool.warmup]", "timeout = inf"), 3, "not a number above zero"),
        (("[tool]", "warmup = 1"), 2, "not a mapping"),
        (('dependencies = "torch"',), 2, "not a list"),
        (("requires-python = 3.11",), 2, "not a text"),
    ],
)
def test_header_that_does_not_parse_names_file_and_line(lines, line, message):
    with pytest.raises(HeaderError) as caught:
        parse(block(*lines), PATH)
    error = caught.value
    assert (error.path, error.line) == (PATH, line)
    assert message in error.message
    assert str(error) == f"{PATH}:{line}: {error.message}. {error.fix}"


def test_a_second_script_block_is_an_error():
    with pytest.raises(HeaderError, match=r"x\.py:5: a second script block"):
        parse("# /// script\n# ///\n\nimport torch\n# /// script\n# ///\n", PATH)


@pytest.mark.parametrize("text", ["# /// script\n# a = 1\n", "# /// script\n# a = 1\n\n# ///\n"])
def test_a_block_that_does_not_end_is_an_error(text):
    with pytest.raises(HeaderError, match=r"x\.py:1: the script block does not end"):
        parse(text, PATH)
