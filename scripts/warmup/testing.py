"""For the tests: import a snippet as its reader would, copy the sample project, build a site, once for all workers."""

from __future__ import annotations

import fcntl
import gc
import graphlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from warmup.content import outputs
from warmup.kinds import navigation, sheets
from warmup.project import ROOT
from warmup.vocabulary import LEVELS

# `make mutants` points this at a copy whose snippets are wrong on purpose.
SNIPPETS = Path(os.environ.get("WARMUP_SNIPPETS", ROOT / "snippets"))

# GitHub Pages serves a project below a path, where absolute links break.
PREFIX = "/torch-warmup/"

# Four questions, two puzzles, an exercise, a trainer and a lab, to build and to break; all else of a project is this
# project's own.
SAMPLE = ROOT / "tests" / "sample"


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
    # Two modules of claims that use one snippet share it, as pickle wants: it looks a function up by its module's name.
    if (loaded := sys.modules.get(module_name)) and loaded.__file__ == str(path):
        return loaded
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec and spec.loader  # which a .py file has
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    return module


_COPIED = ("requirements-test.txt", "CONTRIBUTING.md", f"snippets/{outputs.WATCHING}")


@contextmanager
def one_rank() -> Iterator[None]:
    """A process group of gloo that has this process alone. What holds it, such as a replica, is collected before it."""
    import torch.distributed as dist

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        gc.collect()
        dist.destroy_process_group()


def run_without_gpu(name: str) -> subprocess.CompletedProcess[str]:
    """Run ``snippets/<name>`` as its reader would on a machine without a GPU."""
    return subprocess.run(
        [sys.executable, SNIPPETS / name],
        text=True,
        capture_output=True,
        check=False,
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
    )


def sample_sources() -> set[str]:
    """The files and folders of this project of which ``copy_sample`` takes something, besides the tools."""
    docs = (path for path in (ROOT / "docs").iterdir() if path.name not in (*LEVELS, "labs"))
    return {"tests/sample", "mkdocs.yml", *_COPIED, *(path.relative_to(ROOT).as_posix() for path in docs)}


def copy_sample(folder: Path) -> Path:
    """Copy the sample project, with this project's tools, theme and pages that are no questions, practice or labs.

    Args:
        folder: where the project's folder is made.

    Returns:
        The project's folder.
    """
    project, docs = folder / "project", ROOT / "docs"
    content = {docs / name for name in (*LEVELS, "labs", "practice/predict")}
    for name in navigation.PRACTICE:
        content.update(path for path in (docs / name).glob("*.md") if path.name != "index.md")

    def left_out(parent: str, names: list[str]) -> list[str]:
        return [name for name in names if name == "__pycache__" or Path(parent, name) in content]

    for name in ("scripts", "docs"):
        shutil.copytree(ROOT / name, project / name, ignore=left_out)
    for name in _COPIED:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project / name)
    shutil.copytree(SAMPLE, project, ignore=left_out, dirs_exist_ok=True)
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (project / "mkdocs.yml").write_text(_with_nav_of(settings, project / "docs"), encoding="utf-8")
    return project


def _with_nav_of(settings: str, docs: Path) -> str:
    """``mkdocs.yml`` whose nav names the levels, topics and labs that are below ``docs``, and no others."""
    head, start, rest = settings.partition("\nnav:\n")
    nav, end, tail = rest.partition("\n\n")
    lines: list[str] = []
    for line in nav.split("\n"):
        indent, folder = line.partition("-")[0], line.split()[-1].partition("/")[0]
        is_sheet = line.endswith(f"/{sheets.NAME}") and (docs / line.split()[-1]).exists()
        if folder not in (*LEVELS, "labs") or is_sheet:
            lines.append(line)
        elif line.endswith("/index.md") and (docs / folder).exists():
            inside = [path for path in sorted((docs / folder).iterdir()) if path.is_dir() or path.suffix == ".ipynb"]
            lines += [line, *(f"{indent}- {path.relative_to(docs).as_posix()}" for path in inside)]
        elif line.endswith("/index.md"):
            lines.pop()  # the heading of nothing
    return head + start + "\n".join(lines) + end + tail


def build_site(
    destination: Path,
    root: Path = ROOT,
    *options: str,
    repository: str = "https://example.com/torch-warmup.git-host",
) -> subprocess.CompletedProcess:
    """Run ``mkdocs build`` with the addresses of a host, as the Pages workflow does.

    Args:
        destination: the folder to build into.
        root: the project.
        options: more options, such as ``--strict``.
        repository: the address of the repository.
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
            "REPOSITORY_URL": repository,
            # Two builds around midnight have the same sitemap.
            "SOURCE_DATE_EPOCH": "1767225600",
        },
    )


def site_folder(shared: Path) -> Path:
    """The built site's folder, below one that stands for the host, in the folder that all workers share."""
    return shared / "host" / PREFIX.strip("/")


def sample_folder(shared: Path) -> Path:
    """Where the sample project and its site stand, in the folder that all workers share."""
    return shared / "sample"


def built(shared: Path) -> str:
    """Build the site for all workers, unless one has; why it could not be built, or ""."""

    def build() -> str:
        result = build_site(site_folder(shared), ROOT, "--strict")
        return "" if result.returncode == 0 else result.stderr or f"mkdocs exited with {result.returncode}."

    return once(shared / "site", build)


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


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition: Callable[[], object], seconds: float = 30) -> object:
    """The first true value of a condition; an AssertionError after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
    return value


def below_its_label(program: str) -> str:
    """A program as it is downloaded, without the comment in front that names its page.

    Raises:
        AssertionError: there is no such comment.
    """
    label, _, code = program.partition("\n\n")
    assert all(line.startswith("# ") for line in label.split("\n")), label
    return code


def circle(graph: dict[str, set[str]]) -> str:
    """The files of one circle of imports, in its order; "" where there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return " imports ".join(reversed(error.args[1]))
    return ""
