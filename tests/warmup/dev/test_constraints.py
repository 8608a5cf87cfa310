"""Versions: what the requirements name and what they pull in, the latter pinned without a word about any registry."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata

import pytest
from packaging.requirements import Requirement

from warmup.dev import constraints
from warmup.project import ROOT

REQUIREMENTS = sorted(ROOT.glob("requirements*.txt"))


def pins():
    text = constraints.FILE.read_text(encoding="utf-8")
    return dict(line.split("==") for line in text.split("\n") if line and not line.startswith("#"))


def required(file):
    """The requirements of one file, without those of files that it includes."""
    lines = [line.partition("#")[0].strip() for line in file.read_text(encoding="utf-8").split("\n")]
    return [Requirement(line) for line in lines if line and not line.startswith("-r ")]


def needed(requirements):
    """Names of the packages that these need, their own included, on this platform and Python."""
    found, waiting = set(), list(requirements)
    while waiting:
        requirement = waiting.pop()
        key = constraints.canonical(requirement.name), frozenset(requirement.extras)
        if key in found:
            continue
        found.add(key)
        extras = requirement.extras or {""}
        try:
            texts = metadata.requires(requirement.name) or ()
        except metadata.PackageNotFoundError:
            continue  # the environment is older than the requirements
        for text in texts:
            inner = Requirement(text)
            if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(inner)
    return {name for name, _ in found}


def test_each_line_is_a_name_and_a_version_in_order_and_nothing_else():
    lines = [
        line for line in constraints.FILE.read_text(encoding="utf-8").split("\n") if line and not line.startswith("#")
    ]
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*==[0-9][0-9a-z.]*", line)] == []
    assert lines == sorted(lines, key=lambda line: line.split("==")[0])
    assert len(pins()) == len(lines) > 80
    assert not [name for name in pins() if constraints.UNCONSTRAINED.fullmatch(name)]


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.name)
def test_requirements_and_constraints_agree(file):
    for requirement in required(file):
        if requirement.name == "torch":
            continue  # pinned in requirements-test.txt alone, since CI puts others in its place
        assert pins()[constraints.canonical(requirement.name)] in requirement.specifier, (
            f"{requirement} and constraints.txt disagree: run `make constraints`"
        )


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.name)
def test_all_that_a_requirements_file_pulls_in_is_constrained(file):
    missing = {name for name in needed(required(file)) - set(pins()) if not constraints.UNCONSTRAINED.fullmatch(name)}
    assert not missing, f"{file.name} pulls in {', '.join(sorted(missing))}: run `make constraints`"


def test_every_installation_of_the_makefile_keeps_to_them():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = [line for line in makefile.split("\n") if "pip install" in line]
    assert [line for line in installs if "-c constraints.txt" not in line] == [
        "	build/constraints/bin/python -m pip install --quiet -r requirements.txt -r requirements-test.txt"
        " -r requirements-live.txt"
    ]
    assert "-c constraints.txt" in installs[0]
    assert re.search(r"^\$\(VENV\)/\.site:.* constraints\.txt ", makefile, flags=re.M)


def test_lines_are_sorted_under_one_spelling_and_lose_local_tags():
    assert constraints.lines([("Zebra_Cross.ing", "2.0+cpu"), ("Markdown", "3.11"), ("attrs", "26.1.0")]) == [
        "attrs==26.1.0",
        "markdown==3.11",
        "zebra-cross-ing==2.0",
    ]


def test_torch_what_its_cuda_build_brings_and_tools_of_packaging_are_left_out():
    brought = ["torch", "triton", "nvidia-cublas", "nvidia_nccl_cu13", "cuda-bindings", "cuda-toolkit"]
    kept = ["torchless", "pipx", "barracuda", "tritonclient"]
    installed = [(name, "1.0") for name in [*brought, "pip", "setuptools", "wheel", *kept]]
    assert constraints.lines(installed) == [f"{name}==1.0" for name in sorted(kept)]


def test_the_file_is_written_from_what_is_installed(tmp_path):
    assert constraints.write(tmp_path / "constraints.txt") > 80
    text = (tmp_path / "constraints.txt").read_text(encoding="utf-8")
    assert text.startswith("# Written by `make constraints`")
    assert f"\npytest=={metadata.version('pytest')}\n" in text


@pytest.mark.parametrize("version", [(3, 10), (3, 12)])
def test_any_python_but_the_oldest_is_refused_before_anything_is_installed(tmp_path, version):
    other = tmp_path / "python"
    code = f"import sys; sys.version_info = {version}; exec(sys.argv[1])"
    other.write_text(f'#!/bin/sh\n[ "$1" = -c ] && exec {sys.executable} -c "{code}" "$2"\nexit 9\n')
    other.chmod(0o755)
    command = ["make", "constraints", f"PYTHON={other}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "make constraints PYTHON=python3.11" in done.stderr
    assert "venv" not in done.stdout
