"""For the tests: import a snippet as the module that a reader would copy, build the site as it is published, once."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from warmup.project import ROOT

# `make mutants` points this at a copy whose snippets are wrong on purpose.
SNIPPETS = Path(os.environ.get("WARMUP_SNIPPETS", ROOT / "snippets"))

# GitHub Pages serves a project below a path, where absolute links break.
PREFIX = "/torch-warmup/"


def load_snippet(name: str) -> ModuleType:
    """Import ``snippets/<name>``; its ``if __name__ == "__main__"`` part does not run.

    Args:
        name: path below ``snippets/``, for example ``junior/autograd/zero_grad.py``.

    Raises:
        FileNotFoundError: there is no such snippet.
    """
    path = SNIPPETS / name
    if not path.is_file():
        raise FileNotFoundError(f"snippets/{name} does not exist")
    module_name = "snippet_" + "_".join(Path(name).with_suffix("").parts).replace("-", "_")
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec and spec.loader  # which a .py file has
    module = importlib.util.module_from_spec(spec)
    # Pickling (process pools, spawn) looks a function's module up by name.
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    return module


def build_site(destination: Path, root: Path = ROOT, *options: str) -> subprocess.CompletedProcess:
    """Run ``mkdocs build`` with the addresses of a host, as the Pages workflow does.

    Args:
        destination: the folder to build into.
        root: the project.
        options: more options, such as ``--strict``.
    """
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(destination), *options],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "SITE_URL": f"https://example.com{PREFIX}",
            "NO_MKDOCS_2_WARNING": "1",
            "REPOSITORY_URL": "https://example.com/torch-warmup.git-host",
        },
    )


def once(folder: Path, make: Callable[[], str]) -> str:
    """What ``make`` returns, made by the first process that asks for it; all others wait, and take it from there.

    Args:
        folder: where it is kept; the same for all who share it, and new for each run of the tests.
        make: takes nothing and returns a text.

    Raises:
        RuntimeError: the process that made it failed or died. Nobody tries again: what fails in one worker would fail
            in each, one after another.
    """
    folder.mkdir(parents=True, exist_ok=True)
    begun, made = folder / "begun", folder / "made"
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # let go when the file is closed, so also when its process dies
        if not begun.exists():
            begun.touch()
            made.write_text(make(), encoding="utf-8")
    if not made.exists():
        raise RuntimeError(f"The worker that was first to make {folder.name} failed, or died.")
    return made.read_text(encoding="utf-8")
