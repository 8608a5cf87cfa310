"""MkDocs calls these; what they do lives in ``scripts/warmup``, which knows nothing of MkDocs."""

from __future__ import annotations

import html
import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mkdocs.exceptions import PluginError
from mkdocs.plugins import CombinedEvent, event_priority
from mkdocs.structure.files import File

from warmup import checks, exports
from warmup.content import levels, navigation, questions
from warmup.exports import copies
from warmup.project import SNIPPETS, ProblemError
from warmup.site import incremental, nav, render

log = logging.getLogger("mkdocs.hooks.warmup")
_dirty = False
_renderer: render.Renderer
# Questions as finished HTML, by id. Outlives a build: while the site is served, only edited pages are rendered again.
_contents: dict[str, str] = {}
_rendered: set[str] = set()
_exports: dict[str, dict] = {}


def on_startup(command, dirty):
    global _dirty
    _dirty = dirty


def on_config(config):
    global _renderer
    _rendered.clear()
    site = levels.load(Path(config.docs_dir), navigation.topic_order(config.nav))
    _renderer = render.Renderer(site)
    for problem in (*checks.problems(site), *checks.navigation.problems(config.nav, site)):
        log.warning("%s", problem)
    config.nav = nav.expand(config.nav, site)
    config.mdx_configs.setdefault("pymdownx.superfences", {})["custom_fences"] = [
        {
            "name": "output",
            "class": "tw-output",
            "format": _renderer.output_fence,
            "validator": render.output_fence_options,
        },
        {
            "name": "python",
            "class": "highlight",
            "format": render.python_fence,
            "validator": render.python_fence_options,
        },
    ]
    return config


def on_files(files, config):
    site = _renderer.site
    for name in (*site.snippets, *(puzzle.program for puzzle in site.puzzles)):
        source = SNIPPETS / name
        if source.is_file():
            files.append(File.generated(config, render.SNIPPET_URL + name, abs_src_path=str(source)))
    if _dirty:
        incremental.mark_stale(files, site, config)
    return files


def on_page_markdown(markdown, page, config, files):
    question = _renderer.site.by_id.get(page.file.src_uri.removesuffix(".md"))
    if question:
        # What is wrong in the front matter has been reported; it must not reach a template.
        page.meta = {key: value for key, value in question.meta.items() if key in questions.FRONT_MATTER}
    page.meta["question"] = question
    if "title" in page.meta:
        # MkDocs' and Material's templates, and the search results, take a title for HTML.
        page.meta["title"] = html.escape(str(page.meta["title"]), quote=False)
    if question:
        page.meta.setdefault("description", render.description(question))
    page.meta["level"] = next((one for one in _renderer.site.levels if one.url == page.url), None)
    page.meta["markdown"] = copies.copy_of(page.file.src_uri)
    try:
        return _renderer.expand(markdown, page.url, Path(page.file.abs_src_path))
    except ProblemError as error:
        log.warning("%s", error)
        return markdown


def on_page_content(content, page, config, files):
    source = Path(page.file.abs_src_path)
    question = page.meta.get("question")
    try:
        content = render.finish(content, source.parent)
    except ValueError as error:
        raise PluginError(f"{page.file.src_uri}: {error}") from error
    if question:
        _contents[question.id] = content
        _rendered.add(question.id)
    return content


def on_env(env, config, files):
    env.globals["figures"] = _renderer.figures
    return env


@event_priority(100)
def _before_the_search_plugin(context, page, config, nav):
    context["link"] = render.relative_link(page.url)
    context["whole_content"], page.content = page.content, render.searchable(page.content)
    return context


@event_priority(-100)
def _after_the_search_plugin(context, page, config, nav):
    page.content = context.pop("whole_content")
    return context


def on_post_build(config):
    exports.write(
        exports.Build(
            site=_renderer.site,
            renderer=_renderer,
            contents=_contents,
            folder=Path(config.site_dir),
            site_url=config.site_url or "",
            name=config.site_name,
            summary=config.site_description,
            kept=_exports,
        )
    )


on_page_context = CombinedEvent(_before_the_search_plugin, _after_the_search_plugin)
