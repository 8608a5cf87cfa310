"""What is remembered as one, and the files that it depends on whatever it opens.

A module of claims is one unit: it depends on the programs of its topic. Where one test function runs for many
programs, exercises, trainers or pages, each of its tests is a unit.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from warmup.content.outputs import WATCHING
from warmup.green.digests import Files, digest
from warmup.vocabulary import LEVELS

# A change of these runs everything.
TOOLS = (
    *("scripts/**/*.py", f"snippets/{WATCHING}", "tests/**/*.py"),
    *("pyproject.toml", "requirements*.txt", "constraints.txt"),
)
# What tests of the tools build, break and read besides: all that is not an answer, and the small sample project.
SUPPORT = ("scripts", "docs/assets", "tests/sample", "mkdocs.yml")
# In front of the path of a file of the built site.
SITE = "site:"
EVERYTHING = ("docs", "snippets", "README.md", "CONTRIBUTING.md", "Makefile", ".github")
WRITE, TRAINERS = "snippets/practice/write", "snippets/practice/trainers"
_PROGRAM = re.compile(rf"(?:{'|'.join(LEVELS)}|practice)/[\w./-]+\.py\b")
_IMPORT = re.compile(r"^\s*(?:from|import)\s+(\w+)", flags=re.M)
# Where a module reads all pages and programs, or reads some of them when it is imported, before anything is traced.
_ALL = re.compile(
    r"levels\.load\((?:topic|\))|snippet_paths"
    r"|^\w.*\b(?:DOCS|SNIPPETS|ROOT)\b.*(?:read_|glob|iterdir)",
    re.M,
)


@dataclass(frozen=True)
class Unit:
    """name: the path of a module, or the id of one test. depends: files and folders, from the project's root.

    shape: whether it also depends on which pages there are and on their front matter. site: whether it looks at the
    built site, so that what was served to it decides. traced: whether it also depends on what it was seen to open: not
    where tests of one module are units, each with files of its own.
    """

    name: str
    depends: tuple[str, ...]
    shape: bool = False
    site: bool = False
    traced: bool = True


class Units:
    """Finds the unit of a test; ``files`` are the project's."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def whole(self, path: str) -> Unit | None:
        """The unit of a module or page whose tests are all one unit; None where each test is one."""
        if path.endswith(".md"):
            return Unit(path, (path,))
        if path.startswith("tests/snippets/"):
            return Unit(path, self._of_claims(path))
        if path.startswith(f"tests/{TRAINERS.rpartition('/')[2]}/") and not path.endswith("/test_trainers.py"):
            slug = path.rpartition("/test_")[2].removesuffix(".py").replace("_", "-")
            return Unit(path, (path, *(self._of_trainer(slug) if self._is_trainer(slug) else self._shared(TRAINERS))))
        if path in ("tests/test_outputs.py", "tests/write/test_judges.py", "tests/trainers/test_trainers.py"):
            return None
        if path.startswith("tests/site/"):
            return None
        text = (self.files.root / path).read_text(encoding="utf-8")
        return Unit(path, (path, *SUPPORT, *(EVERYTHING if _ALL.search(text) else ())))

    def single(self, path: str, name: str, parameter: str) -> Unit:
        """The unit of one test of a module without a whole: ``parameter`` is what stands in brackets in its name."""
        if path.startswith("tests/site/"):
            return Unit(name, (path,), shape=True, site=True)
        if path == "tests/test_outputs.py":
            return Unit(name, (path, *self.of_program(f"snippets/{parameter}.py")), traced=False)
        if path == "tests/write/test_judges.py":
            for slug in sorted((one.name for one in (self.files.root / WRITE).iterdir()), key=len, reverse=True):
                if parameter == slug or parameter.startswith(f"{slug}-"):
                    return Unit(
                        name,
                        (path, f"{WRITE}/{slug}", *self._shared(WRITE), "tests/write/equivalent.yml"),
                        traced=False,
                    )
        if self._is_trainer(parameter):
            return Unit(name, (path, *self._of_trainer(parameter)), traced=False)
        return Unit(name, (path, *EVERYTHING))

    def of_program(self, path: str) -> tuple[str, ...]:
        """A program, what it printed and drew, and what it imports from beside it."""
        folder = path.rpartition("/")[0]
        if folder.startswith((f"{WRITE}/", f"{TRAINERS}/")):
            parent = folder.rpartition("/")[0]
            return (folder, *self._shared(parent))
        programs = [path]
        for one in programs:  # which grows
            programs += [name for name in self._imports(one) if name not in programs]
        return tuple(name for one in programs for name in self._beside(one))

    def _beside(self, program: str) -> list[str]:
        """A program, its outputs and its plot."""
        folder, _, stem = program.removesuffix(".py").rpartition("/")
        return sorted(one.relative_to(self.files.root).as_posix() for one in self._folder(folder).glob(f"{stem}.*"))

    def _imports(self, path: str) -> list[str]:
        """The programs beside it that a program imports."""
        file = self.files.root / path
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        names = sorted(set(_IMPORT.findall(text)))
        return [f"{path.rpartition('/')[0]}/{name}.py" for name in names if file.with_name(f"{name}.py").exists()]

    def _of_claims(self, path: str) -> tuple[str, ...]:
        """Claims load programs of their topic by name, and some those of another one or a page's text."""
        topic = path.removeprefix("tests/").rpartition("/")[0]
        text = (self.files.root / path).read_text(encoding="utf-8")
        others = {f"snippets/{name}" for name in _PROGRAM.findall(text)}
        pages = set(re.findall(r"docs/[\w./-]+\.md", text))
        return (path, topic, *sorted(one for name in others for one in self.of_program(name)), *sorted(pages))

    def _is_trainer(self, slug: str) -> bool:
        return bool(slug) and (self._folder(TRAINERS) / slug).is_dir()

    def _of_trainer(self, slug: str) -> tuple[str, ...]:
        return (f"{TRAINERS}/{slug}", *self._shared(TRAINERS), f"docs/practice/trainers/{slug}.md")

    def _shared(self, folder: str) -> list[str]:
        """What the judges or checks of a folder share: beside their folders, and what both share above it."""
        found = [*self._folder(folder).glob("*.py"), *self._folder(folder).parent.glob("*.py")]
        return sorted(path.relative_to(self.files.root).as_posix() for path in found)

    def _folder(self, path: str):
        return self.files.root / path

    @functools.cached_property
    def tools(self) -> str:
        """The digest of what runs tests: all Python of the tools and of the tests that no page is proven by."""
        found = {path.relative_to(self.files.root).as_posix() for one in TOOLS for path in self.files.root.glob(one)}
        own = sorted(path for path in found if not re.search(r"/test_[^/]*\.py$", path) or "/sample/" in path)
        return digest(f"{path}={self.files.one(path)}" for path in own if "__pycache__" not in path)

    @functools.cached_property
    def shape(self) -> str:
        """The digest of which pages and programs there are, of all front matter, and of the order of topics."""
        docs = [path for path in self.files.below("docs") if path.endswith(".md")]
        heads = [f"{path}={self._head(path)}" for path in docs]
        return digest([*heads, *self.files.below("snippets"), self.files.one("mkdocs.yml")])

    def _head(self, page: str) -> str:
        return (self.files.root / page).read_text(encoding="utf-8").partition("\n---\n")[0]
