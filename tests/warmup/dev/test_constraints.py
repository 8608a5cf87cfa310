"""Versions: what the requirements name and what they pull in, the latter pinned without a word about any registry."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata

import pytest
import yaml
from packaging.requirements import Requirement

from warmup.dev import constraints
from warmup.project import ROOT

BUILD = yaml.safe_load((ROOT / ".github/workflows/pages.yml").read_text(encoding="utf-8"))["jobs"]["build"]
REQUIREMENTS = sorted(ROOT.glob("requirements*.txt"))


def pins():
    text = constraints.FILE.read_text(encoding="utf-8")
    return dict(line.split("==") for line in text.split("\n") if line and not line.startswith("#"))


def required(file):
    """The requirements of one file, without those of files that it includes."""
    lines = [line.partition("#")[0].strip() for line in file.read_text(encoding="utf-8").split("\n")]
    return [Requirement(line) for line in lines if line and not line.startswith("-r ")]


# The runner and the Python of pages.yml.
PAGES = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "python_version": "3.12"}


def needed(requirements, **platform):
    """Names of the packages that these need, their own included, on this platform and Python or on the one named."""
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
            if inner.marker is None or any(inner.marker.evaluate({**platform, "extra": extra}) for extra in extras):
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
    assert [line.strip().partition(" --quiet ")[2] for line in installs if "-c constraints.txt" not in line] == [
        "-r requirements.txt -r requirements-test.txt -r requirements-live.txt",
        "uv",
        "--require-hashes --only-binary :all: -r hashes.txt",
    ]
    assert "-c constraints.txt" in installs[0]
    assert re.search(r"^\$\(VENV\)/\.site:.* constraints\.txt ", makefile, flags=re.M)


def hashed():
    """Of each package in hashes.txt its version and the hashes of its files."""
    text = (ROOT / "hashes.txt").read_text(encoding="utf-8").replace(" \\\n", "")
    lines = [line.split() for line in text.splitlines()]
    return {line[0].partition("==")[0]: (line[0].partition("==")[2], line[1:]) for line in lines}


def test_what_builds_the_published_site_has_the_same_versions_and_a_hash_each_and_names_no_registry():
    found = hashed()
    assert {name: version for name, (version, _) in found.items()}.items() <= pins().items()
    files = [file for _, files in found.values() for file in files]
    assert all(files for _, files in found.values())
    assert [file for file in files if not re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", file)] == []


def test_what_builds_the_published_site_is_all_that_the_site_and_its_pdfs_need():
    wanted = [one for name in ("requirements.txt", "requirements-pdf.txt") for one in required(ROOT / name)]
    assert needed(wanted, **PAGES) - set(hashed()) == set(), "run `make constraints`"
    (python,) = (step["with"]["python-version"] for step in BUILD["steps"] if "setup-python" in step.get("uses", ""))
    assert python == PAGES["python_version"]
    assert f"--python-version {python} --python-platform linux" in (ROOT / "Makefile").read_text(encoding="utf-8")


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
