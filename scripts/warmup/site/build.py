"""Between MkDocs, which reads, renders and writes pages, and what becomes of each on the way.

Only this module, ``nav.py``, ``search.py`` and ``incremental.py`` know MkDocs' objects.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import logging
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from warmup import checks, licenses
from warmup.content import one_file, sources
from warmup.kinds import levels, navigation, sheets
from warmup.kinds.drills import Drill
from warmup.kinds.exercises import Exercise
from warmup.project import ROOT, SNIPPETS, Problem, ProblemError
from warmup.site import blocks, downloads, expand, finish, form, half, incremental, marks, nav, notebook, search
from warmup.site.ahead import begun, possible
from warmup.site.links import SNIPPET_URL
from warmup.site.sections import Sections
from warmup.wasm import publication
from warmup.wasm.files import integrity_of

log = logging.getLogger("mkdocs.hooks.warmup")

# What a page needs to run programs, on its reader's machine or in its browser. It stands outside of docs/: a site
# whose programs do not run holds none of these files.
PROGRAMS = ROOT / "scripts" / "warmup" / "site" / "programs"
LIVE_PAGE = ROOT / "scripts" / "warmup" / "live" / "page"
WASM_PAGE = ROOT / "scripts" / "warmup" / "wasm" / "page"


class Pages:
    """The pages of the site in this process, which builds them once, or after each edit while it serves them.

    Attributes:
        dirty: MkDocs builds only what has changed.
        command: what MkDocs was told, build or serve.
        state: a digest of all that the build depends on, if the next one may find that there is nothing to do; else "".
        only: the one page to build, as ``level/topic/slug.md``; "" for all. It looks as it does on the whole site, but
            what is made of all pages together is left out, and so are the checks: ``make page`` does these itself.
        first: nothing was built in this process before, and all of it is to be: other processes help.
        renderer: of the build that runs.
        labels: what stands in front of the programs that it offers.
        contents: what is shown by the id of a question, exercise or trainer; none of a page with an include or a marker
            that cannot be resolved. Outlives a build: only edited pages are rendered again.
        found: what the search knows of each page, by its address. Outlives a build, as ``contents`` does.
        runnable: what the site publishes so that browsers run its programs; nothing, mostly.
        kept: what the exports made of the questions, which outlives a build too.
    """

    renderer: expand.Renderer
    labels: downloads.Labels
    form: form.Form
    half: half.Half | None
    runnable: publication.Publication

    def __init__(self, dirty: bool = False) -> None:
        self.dirty = dirty
        self.command = self.state = ""
        self.contents: dict[str, Sections] = {}
        self.found: dict[str, search.Indexed] = {}
        self.kept: dict[tuple[str, str], tuple[Sections, Any]] = {}

    def begin(self, config: MkDocsConfig) -> None:
        """Read the content anew, warn of each problem in it, and make the configuration fit it."""
        written = config.nav or []
        self.only = config.extra["only"]
        site = levels.load(Path(config.docs_dir), navigation.topic_order(written))
        config.copyright = licenses.FOOT
        self.labels = downloads.Labels(site, config.site_name, config.site_url or "")
        self.renderer = renderer = expand.Renderer(site, label=self.labels.label)
        if not self.dirty:
            self.found.clear()
        self.half = None
        self.first = not self.contents and not self.only
        self._checked = begun(lambda: _checked(site, written), apart=self.first)
        config.nav = nav.expand(written, site)
        live, wasm = config.extra["live"], "" if config.extra["live"] else config.extra["wasm"]
        self.runnable = publication.read(ROOT / wasm) if wasm else publication.Publication()
        if wasm and not self.runnable:
            log.info("No program gets a button: %s is not complete.", wasm)
        config.extra["wasm"] = self.runnable
        judges = self._judges()
        renderer.judged = lambda page: bool(live) or page.start in judges
        fences = blocks.fences(
            lambda name: renderer.output(renderer.snippets / name),
            renderer.snippets,
            blocks.named if live else partial(blocks.recorded, self.runnable.records, judges),
        )
        config.mdx_configs.setdefault("pymdownx.superfences", {})["custom_fences"] = fences
        self.form = form.Form(Path(config.docs_dir))
        config.markdown_extensions.append(self.form)

    def _judge(self, page: Drill) -> bytes:
        """The judge of a page as readers download it."""
        return self.labels.labelled(page.judge, one_file.assembled(SNIPPETS / page.judge)).encode()

    def _judges(self) -> dict[str, tuple[str, str]]:
        """The judges that a page may run, each with its hash, by the file that is judged."""
        records = self.runnable.records
        return {
            page.start: (page.judge, integrity_of(self._judge(page)))
            for page in self.renderer.site.drills
            if page.judge in records and (page.start in records or isinstance(page, Exercise))
        }

    def add_files(self, files: Files, config: MkDocsConfig) -> None:
        """Add the snippets to download, the plots and the pages that are no file; say which pages to build again."""
        site = self.renderer.site
        own = [name for page in site.drills for name in (page.start, page.answer, *page.snippets)]
        shown = (*own, *site.snippets, *site.plots)
        for name in dict.fromkeys((*shown, *(puzzle.program for puzzle in site.puzzles))):
            source = SNIPPETS / name
            if source.suffix == ".py" and sources.exists(source):
                with contextlib.suppress(ProblemError):  # reported by checks.problems
                    text = self.labels.labelled(name, sources.text(source, "replace"))
                    files.append(File.generated(config, SNIPPET_URL + name, content=text))
            elif source.is_file():
                files.append(File.generated(config, SNIPPET_URL + name, abs_src_path=str(source)))
        for page in site.drills:
            with contextlib.suppress(ProblemError, OSError):  # reported by checks.problems
                files.append(File.generated(config, SNIPPET_URL + page.judge, content=self._judge(page)))
        parts = {"live": LIVE_PAGE} if config.extra["live"] else {"wasm": WASM_PAGE} if self.runnable else {}
        for name, folder in (parts and {"programs": PROGRAMS, **parts}).items():
            for source in sorted(folder.iterdir()):
                files.append(File.generated(config, f"assets/{name}/{source.name}", abs_src_path=str(source)))
        for name, source in self.runnable.paths.items():
            files.append(File.generated(config, f"assets/pyodide/{name}", abs_src_path=str(source)))
        for name, text in self.renderer.topic_pages.items():
            files.append(File.generated(config, name, content=text, inclusion=InclusionLevel.NOT_IN_NAV))
        if self.only:
            incremental.mark_only(files, self.only)
        elif self.dirty:
            incremental.mark_stale(files, self.renderer, config)

    def ahead(self, files: Files, config: MkDocsConfig) -> None:
        """Have another process render half of the pages, where all of them are to be."""
        if self.first and possible():
            self.half = half.Half(files, config, lambda page: (self._contents_of(page), self.found[page.url]))

    def _contents_of(self, page: Page) -> Sections | None:
        known = page.meta.get("question") or page.meta.get("drill")
        return self.contents.get(known.id) if known else None

    def report(self) -> None:
        """Warn of each problem in the content."""
        if not self.only:
            for problem in self._checked():
                log.warning("%s", problem)

    def titles(self, navigation: Navigation, config: MkDocsConfig) -> None:
        """Read the titles that ``nav`` leaves to the pages, where these are not read since one page alone is built."""
        for page in navigation.pages if self.only else ():
            if page.title is None:
                page.read_source(config)

    def template(self, text: str, name: str, config: MkDocsConfig) -> str:
        """What a template of the theme becomes: of a sitemap without addresses nothing, so MkDocs leaves it out."""
        return text if config.site_url or name != "sitemap.xml" else ""

    def before(self, page: Page) -> None:
        """Have MkDocs take what another process renders, and a notebook as the Markdown that ``source`` makes of it."""
        if page.file.src_uri.endswith(".ipynb"):
            for name in ("render", "title"):  # mkdocs-jupyter's own, and the navigation's
                vars(page).pop(name, None)
        if self.half and self.half.has(page):
            vars(page)["render"] = partial(self.half.take, page)

    def source(self, markdown: str, page: Page, config: MkDocsConfig) -> str:
        """A page's Markdown with nothing left to resolve. Its metadata becomes what the templates ask for."""
        name = page.file.src_uri
        if name.endswith(".ipynb"):
            markdown = notebook.markdown(markdown)
            if notebook.has_slider(markdown):
                page.meta["module"] = "slider"
        question = self.renderer.site.by_id.get(name.removesuffix(".md"))
        drill = self.renderer.site.drills_by_id.get(name.removesuffix(".md"))
        known = question or drill
        for level in self.renderer.site.levels:
            if level.sheet and level.sheet.path == Path(config.docs_dir, name):
                markdown = sheets.arranged(level.sheet, [(topic.label, topic.questions) for topic in level.topics])
                page.meta["sheet"] = level
        if known:
            # What is wrong in the front matter has been reported; it must not reach a template.
            page.meta = dict(known.meta)
            page.meta["description"] = finish.description(known)
        if question and any(include.fenced_as == "statements" for include in question.includes):
            page.meta["module"] = "statements"
        if drill:
            page.meta.update(practice=True, module=drill.module)
        page.meta.update(question=question, drill=drill)
        page.meta["level"] = next((one for one in self.renderer.site.levels if one.url == page.url), None)
        page.meta["first"] = self.renderer.site.first(page.url)
        if "title" in page.meta:
            # MkDocs' and Material's templates, and the search results, take a title for HTML.
            page.meta["title"] = html.escape(str(page.meta["title"]), quote=False)
        if self.half and self.half.has(page):
            return ""
        self.form.page, self.form.url = known, page.url
        page.meta["whole"] = False
        try:
            markdown = self.renderer.expand(markdown, page.url, Path(config.docs_dir, name))
            page.meta["whole"] = True
        except ProblemError as error:
            if name not in self.renderer.topic_pages:  # else the page from which it was taken is the one to mend
                log.warning("%s", error)
        return markdown

    def content(self, content: str, page: Page, config: MkDocsConfig) -> str:
        """Nothing for the search plugin to read; what readers see is kept in ``page.meta``, which our template shows.

        Nothing else reads ``page.content``. What the search knows is in ``found``.

        Raises:
            PluginError: a formula on the page is wrong.
        """
        known = page.meta.get("question") or page.meta.get("drill")
        if known:
            self.contents.pop(known.id, None)
        if self.half and self.half.has(page):
            shown, self.found[page.url] = self.half.of(page).more
            if known and shown:
                self.contents[known.id] = shown
            return ""
        try:
            marked = finish.finish(content)
        except ValueError as error:
            raise PluginError(f"{page.file.src_uri}: {error}") from error
        if known and page.meta["whole"]:
            self.contents[known.id] = Sections.of(blocks.without_records(marked) if self.runnable else marked)
            for problem in self.contents[known.id].lost(known):
                log.warning("%s", problem)
        page.meta["runs"] = bool(self.runnable) and "data-program=" in marked
        story, _, deeper = marked.partition(f"<!--{form.CUT}-->")
        page.meta["shown"], page.meta["deeper"] = marks.bare(story), marks.bare(deeper)
        # The same as long as the page says the same, so that a new build is no news to who has kept the site.
        page.meta["state"] = hashlib.sha256(marked.encode()).hexdigest()[:10]
        if deeper:  # the contents list the story; what is deeper lists itself
            for item in page.toc:
                item.children = []
        shown = marks.bare(marked)
        self.found[page.url] = search.entry(shown, page)
        return ""

    def keep(self, made: Mapping[tuple[str, str], Any]) -> None:
        """Keep what the exports made of questions, in another process perhaps, until their pages are rendered again."""
        self.kept.update({(name, known): (self.contents[known], one) for (name, known), one in made.items()})

    def write_search_index(self, folder: Path) -> None:
        """Write what the search loads, in place of what its plugin has written into the site's ``folder``."""
        made = search.files(list(self.found.values()))
        (folder / search.INDEX).parent.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(search.SAID.format("*")):
            if old.relative_to(folder).as_posix() not in made:
                old.unlink()
        for name, text in made.items():
            (folder / name).write_text(text, encoding="utf-8")


def _checked(site: levels.Site, written: list) -> list[Problem]:
    """The problems of the content."""
    return [*checks.problems(site), *navigation.problems(written, site)]
