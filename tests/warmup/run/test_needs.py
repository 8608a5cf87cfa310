"""What a snippet may need is asked of the machine, each need by its own question."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import shutil

import pytest

from warmup.content.header import Header
from warmup.run import needs
from warmup.vocabulary import NEEDS


def header(*several: str) -> Header:
    return Header(needs=frozenset(several))


@pytest.mark.parametrize("need", NEEDS)
def test_every_need_can_be_asked(need):
    assert needs.missing(need) == needs.missing_need(header(need))


def test_a_need_that_nobody_can_ask_for_is_an_error():
    with pytest.raises(ValueError, match="whether a machine has 'tpu'"):
        needs.missing("tpu")


@pytest.mark.parametrize("gpu", [False, True])
def test_a_gpu_is_missing_where_there_is_none(monkeypatch, gpu):
    monkeypatch.setattr(needs, "has_gpu", lambda: gpu)
    assert ("no NVIDIA GPU" in needs.missing_need(header("cuda", "multiprocess"))) is not gpu


@pytest.mark.parametrize("need", needs.PACKAGES)
def test_a_missing_package_is_named_with_its_remedy_and_an_installed_one_is_not(monkeypatch, need):
    *installed, last = needs.PACKAGES[need]
    specs = {name: importlib.machinery.ModuleSpec(name, None) for name in installed}
    monkeypatch.setattr(importlib.util, "find_spec", specs.get)
    assert needs.missing(need) == f"needs {last}, not installed: `pip install {last}`"
    specs[last] = importlib.machinery.ModuleSpec(last, None)
    assert needs.missing(need) == ""


@pytest.mark.parametrize("gpu", [False, True])
def test_triton_is_used_where_it_is_installed_and_no_gpu_wants_its_compiler(monkeypatch, gpu):
    monkeypatch.setattr(needs, "has_gpu", lambda: gpu)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert ("leave Triton its compiler" if gpu else "pip install triton") in needs.missing("triton")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: importlib.machinery.ModuleSpec(name, None))
    assert bool(needs.missing("triton")) is gpu
    assert needs.interpreter() == ({} if gpu else {"TRITON_INTERPRET": "1"})


def test_no_compiler_names_the_package_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    reason = needs.missing_need(header("compiler"))
    assert "needs a C++ compiler" in reason
    assert "apt install g++" in reason
    monkeypatch.setenv("CXX", f"{shutil.which('true', path='/usr/bin:/bin')} -O2")
    assert needs.missing_need(header("compiler")) == ""
