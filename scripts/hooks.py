"""MkDocs calls these; they call ``warmup.site``, which makes pages, and ``warmup.exports``, which makes the rest."""

from __future__ import annotations

import gc
import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mkdocs.utils import CountHandler

from warmup import exports, licenses, memory
from warmup.exports import notebooks, offline, print_view
from warmup.exports.plain_markdown import copy_of
from warmup.site import afterwards, incremental, templates, unchanged
from warmup.site.ahead import begun
from warmup.site.build import Pages
from warmup.site.links import relative_link

log = logging.getLogger("mkdocs.hooks.warmup")
# MkDocs imports this module once: while the site is served, it outlives a build.
_pages = Pages()
# What waits for the exports of the build that runs.
_exported: list = []


def on_startup(command, dirty):
    _pages.command = command
    # A build makes millions of small objects that stay: to look for garbage among them is a tenth of its time.
    gc.set_threshold(100_000, 50, 100)
    _pages.dirty = dirty


def on_config(config):
    afterwards.wait()
    # MkDocs has not looked at the site's folder yet.
    if _pages.command == "build" and config.strict and not _pages.dirty:
        _pages.state = unchanged.inputs()
        if unchanged.is_built(Path(config.site_dir), _pages.state):
            log.info("Nothing has changed since %s was built.", config.site_dir)
            sys.exit()
    _pages.begin(config)
    return config


def on_files(files, config):
    _pages.add_files(files, config)
    return files


def on_post_template(output_content, template_name, config):
    return _pages.template(output_content, template_name, config)


def on_nav(nav, config, files):
    _pages.titles(nav, config)
    _pages.ahead(files, config)
    return nav


def on_pre_page(page, config, files):
    _pages.before(page)
    return page


def on_page_markdown(markdown, page, config, files):
    markdown = _pages.source(markdown, page, config)
    page.meta["markdown"] = copy_of(page.file.src_uri)
    if page.meta.get("question"):
        page.meta["notebook"] = notebooks.notebook_of(page.file.src_uri)
        page.meta["colab"] = notebooks.colab(config.extra["repository"], page.meta["notebook"])
    return markdown


def on_page_content(content, page, config, files):
    return _pages.content(content, page, config)


def on_env(env, config, files):
    if not _served_again():
        _pages.report()
    env.bytecode_cache = templates.compiled()
    env.globals.update(figures=_pages.renderer.figures, licenses=licenses)
    if not _pages.only:
        build = _build(config)
        _exported.append(begun(lambda: _exports(build), apart=_pages.first))
    return env


def on_page_context(context, page, config, nav):
    context["link"] = relative_link(page.url)
    return context


def on_post_build(config):
    if _pages.only:
        return
    build = _build(config)
    # They name style sheets that have been copied by now. A server will ask again for what they are made of.
    prints = begun(lambda: print_view.write(build), apart=_pages.command == "build")
    _pages.write_search_index(Path(config.site_dir))
    _pages.keep(_exported.pop()())
    incremental.remember()
    if _served_again():
        afterwards.begin(lambda: _last(build.folder, prints))
        return
    _last(build.folder, prints)
    # With --strict MkDocs counts warnings, of which the build fails when this returns.
    counters = [one for one in logging.getLogger("mkdocs").handlers if isinstance(one, CountHandler)]
    if _pages.state and not any(one.get_counts() for one in counters):
        unchanged.note(Path(config.site_dir), _pages.state)


def _served_again():
    """Whether somebody waits for an edit of theirs; at the start of a server, for all of it."""
    return _pages.command == "serve" and not _pages.first


def _last(site, prints):
    """Do what needs the built site, and, where somebody waited for an edit, what can wait until it is seen."""
    if _served_again():
        _pages.report()
    prints()
    offline.write(site)
    memory.save()


def _exports(build):
    """Write the exports; what was made for them, perhaps in another process, if a server will ask for it again."""
    exports.write(build)
    wanted = _pages.first and _pages.command == "serve"
    return {name: made for name, (_, made) in build.kept.items()} if wanted else {}


def _build(config):
    return exports.Build(
        site=_pages.renderer.site,
        renderer=_pages.renderer,
        contents=_pages.contents,
        folder=Path(config.site_dir),
        site_url=config.site_url or "",
        name=config.site_name,
        summary=config.site_description,
        kept=_pages.kept,
    )
