"""Half of a site's pages, read and rendered in another process while MkDocs comes to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import TableOfContents

from warmup.site.ahead import begun

# What the build's templates ask for of a page's metadata and only its HTML tells.
_TOLD = ("shown", "deeper", "state", "runs", "whole")


@dataclass(frozen=True)
class Rendered:
    """What a page became. links: to which file, and there to which anchor, in what words. more: what the hooks keep."""

    title: str | None
    toc: TableOfContents
    anchors: set[str]
    links: dict[str, dict[str, str]]
    meta: dict[str, Any]
    more: Any


class Half:
    """The pages of one build that another process renders.

    Args:
        files: all pages, in MkDocs' order; the last ones, about half of the text, are rendered there.
        config: MkDocs' configuration.
        more: what the hooks have kept of a page, to be handed over with it.
    """

    def __init__(self, files: Files, config: MkDocsConfig, more: Callable[[Page], Any]) -> None:
        self._files = files
        pages = list(files.documentation_pages())
        left = sum(map(_weight, pages)) / 2
        while pages and (left := left - _weight(pages[0])) > 0:
            pages.pop(0)
        self._names = {file.src_uri for file in pages}
        self._done: dict[str, Rendered] | None = None
        self._join = begun(lambda: dict(_rendered(pages, files, config, more)))

    def has(self, page: Page) -> bool:
        return page.file.src_uri in self._names

    def take(self, page: Page, *_: object) -> None:
        """Give a page what the other process made of it, in place of rendering it."""
        found = self.of(page)
        page.content, page.toc = "", found.toc
        page.present_anchor_ids = found.anchors
        page.links_to_anchors = {
            file: anchors for name, anchors in found.links.items() if (file := self._files.get_file_from_path(name))
        }
        if found.title is not None:
            page.title = found.title
        page.meta.update(found.meta)

    def of(self, page: Page) -> Rendered:
        if self._done is None:
            self._done = self._join()
        return self._done[page.file.src_uri]


def _weight(file: File) -> int:
    return len(file.content_bytes)


def _rendered(
    pages: Iterable[File], files: Files, config: MkDocsConfig, more: Callable[[Page], Any]
) -> Iterable[tuple[str, Rendered]]:
    """What MkDocs does with each page before it asks for templates."""
    for file in pages:
        page = config.plugins.on_pre_page(file.page or Page(None, file, config), config=config, files=files)
        page.read_source(config)
        page.markdown = config.plugins.on_page_markdown(page.markdown or "", page=page, config=config, files=files)
        page.render(config, files)
        config.plugins.on_page_content(page.content or "", page=page, config=config, files=files)
        links = {to.src_uri: anchors for to, anchors in (page.links_to_anchors or {}).items()}
        told = {key: page.meta[key] for key in _TOLD}
        yield file.src_uri, Rendered(page.title, page.toc, page.present_anchor_ids or set(), links, told, more(page))
