"""Which pages are built again after an edit, while the site is served."""

from __future__ import annotations

import pytest
from mkdocs.config import load_config
from mkdocs.structure.files import File, Files, get_files

from warmup.kinds import levels
from warmup.site import incremental
from warmup.site.expand import Renderer

PAGE = """---
title: T
---

```python title="thing.py"
--8<-- "junior/topic/thing.py"
```

```output
--8<-- "junior/topic/thing.out"
```

![A flow](flow.svg)
"""
FILES = {
    "mkdocs.yml": "site_name: x\n",
    "docs/junior/topic/thing.md": PAGE,
    "docs/junior/topic/flow.svg": "<svg/>",
    "docs/other.md": "Nothing.\n",
    "docs/list.md": "<!-- warmup:contributing -->\n",
    "CONTRIBUTING.md": "# Contributing\n\nBy hand.\n",
    "snippets/junior/topic/thing.py": "print(1)\n",
    "snippets/junior/topic/thing.out": "1\n",
    "snippets/junior/topic/thing.torch-from-9.10.out": "2\n",
}
THING = "junior/topic/thing.md"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose last build came to its end."""
    for name in ("_built", "_now"):
        monkeypatch.setattr(incremental, name, {})
    monkeypatch.setattr(incremental, "SNIPPETS", tmp_path / "snippets")
    for name, text in FILES.items():
        write(tmp_path / name, text)
    assert stale(tmp_path) == {THING, "other.md", "list.md", "derived.md"}
    incremental.remember()
    return tmp_path


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def stale(project, derived="What no file has.\n") -> set[str]:
    """The pages that MkDocs would build; it does, so that none is older than its source."""
    config = load_config(str(project / "mkdocs.yml"))
    no_file = File("derived.md", None, config.site_dir, use_directory_urls=True)
    no_file.content_string = derived
    files = Files([*get_files(config), no_file])
    incremental.mark_stale(files, Renderer(levels.Site([], []), project), config)
    found = [file for file in files.documentation_pages() if file.is_modified()]
    for file in found:
        write(project / "site" / file.dest_uri, "built")
    return {file.src_uri for file in found}


def test_without_an_edit_nothing_is_built(project):
    assert stale(project) == set()


def test_what_a_marker_stands_for_is_part_of_its_page(project):
    write(project / "CONTRIBUTING.md", "# Contributing\n\nBy another hand.\n")
    assert stale(project) == {"list.md"}
    incremental.remember()
    assert stale(project) == set()


def test_a_page_whose_marker_cannot_be_resolved_is_built_each_time(project):
    write(project / "docs/list.md", "<!-- warmup:unknown -->\n")
    for _ in range(2):
        assert stale(project) == {"list.md"}
        incremental.remember()


@pytest.mark.parametrize(
    "name",
    [
        "docs/junior/topic/flow.svg",
        "snippets/junior/topic/thing.py",
        "snippets/junior/topic/thing.out",
        "snippets/junior/topic/thing.torch-from-9.10.out",
    ],
)
def test_a_page_is_built_when_what_it_shows_is_edited_or_deleted(project, name):
    write(project / name, "<svg><g/></svg>")
    assert stale(project) == {THING}
    incremental.remember()
    (project / name).unlink()
    assert stale(project) == {THING}
    incremental.remember()
    assert stale(project) == set()


def test_what_a_build_that_failed_did_not_build_is_built_by_the_next(project):
    (project / "snippets/junior/topic/thing.out").unlink()
    assert stale(project) == stale(project) == {THING}


def test_a_page_that_is_no_file_is_built_when_its_text_changes(project):
    assert stale(project, derived="Something else.\n") == {"derived.md"}


def test_all_pages_are_built_when_the_configuration_changes(project):
    write(project / "mkdocs.yml", "site_name: y\n")
    assert stale(project) == {THING, "other.md", "list.md", "derived.md"}
