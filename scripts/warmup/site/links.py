"""Links and addresses: every form that a link takes on its way from a page's source to where a reader follows it.

A *source link* leads from file to file, as authors write it in Markdown. An *address* is a URL without the part that
the site's root makes up: ``junior/autograd/zero-grad/#myth``; every export starts from it.
"""

from __future__ import annotations

import html
import os
import posixpath
import re
from collections.abc import Callable
from pathlib import Path

SNIPPET_URL = "snippets/"  # where the programs stand that one can download

# A tag that is more than a piece of highlighted code, of which a page has hundreds; and in a tag, an attribute.
_TAG = re.compile(r"""<(?!span class="[^"]*">)[a-zA-Z](?:[^>"']|"[^"]*"|'[^']*')*>""")
_ATTRIBUTE = re.compile(r"""(?<=\s)(?P<name>[\w:-]+)=(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'>]+))""")
_ADDRESSES = ("href", "xlink:href", "src")
_ID_LISTS = ("for", "aria-labelledby", "aria-describedby")
_URL = re.compile(r"""(?<=url\()((?:&quot;|["'])?#)([^)"'&]+)""")


def source_link(target: Path, page: Path) -> str:
    """Address of a page's file relative to another page's file, as Markdown links write it."""
    return Path(os.path.relpath(target, page.parent)).as_posix()


def rebase(text: str, page: Path, where: Path) -> str:
    """Rewrite the relative links of a page's text so that they lead to the same places from the file ``where``."""

    def target(match: re.Match) -> str:
        path, hash_, anchor = match[1].partition("#")
        return f"]({source_link(page.parent / path if path else page, where)}{hash_}{anchor})"

    return re.sub(r"\]\((?![a-z]+:|/)([^)\s]+)\)", target, text)


def relative_link(page_url: str) -> Callable[[str], str]:
    """Makes addresses below the site's root relative to the page at ``page_url``."""

    def link(url: str) -> str:
        path, hash_, anchor = url.partition("#")
        result = posixpath.relpath(path or ".", page_url or ".")
        if not path or path.endswith("/"):
            result += "/"
        return result + hash_ + anchor

    return link


def resolve(page_url: str, target: str) -> str:
    """What ``relative_link`` undoes: an address relative to a page, as its HTML has it, as one below the site's root.

    Args:
        page_url: the page's address below the site's root.
        target: the value of an attribute: escaped, and relative to the page.

    Returns:
        The address, escaped too; a page's ends in a slash, a file's does not, and the root's is empty.
    """
    path, hash_, anchor = html.unescape(target).partition("#")
    resolved = posixpath.normpath(posixpath.join(page_url, path))
    if path.endswith("/") or not posixpath.splitext(resolved)[1]:
        resolved = resolved.rstrip("/") + "/"
    return html.escape("" if resolved == "./" else resolved) + hash_ + anchor


def relocated(content: str, prefix: str, link: Callable[[str], str], source: Callable[[str], str] | None = None) -> str:
    """A page's HTML, or a part of it, for a document that shows other pages or parts too.

    Args:
        content: the HTML.
        prefix: goes before each id, so that none is in the document twice. What refers to an id follows it, and
            stays within the content.
        link: makes an address that the content has fit for where it will stand. It gets what is relative to the page.
        source: the same for what is embedded, such as an image.
    """
    source = source or link

    def read(match: re.Match) -> tuple[str, str]:
        return match["name"].lower(), match["double"] or match["single"] or match["bare"] or ""

    found = (read(match) for tag in _TAG.findall(content) for match in _ATTRIBUTE.finditer(tag))
    ids = {value for name, value in found if name == "id"}

    def own(name: str) -> str:
        return prefix + name if name in ids else name

    def attribute(match: re.Match) -> str:
        name, value = read(match)
        if name == "id":
            new = own(value)
        elif name in _ADDRESSES:
            if value[:1] == "#" and value[1:] in ids:
                new = "#" + own(value[1:])
            elif re.match("[a-z]+:", value):
                return match[0]
            else:
                new = (source if name == "src" else link)(value)
        elif name in _ID_LISTS:
            new = " ".join(map(own, value.split()))
        else:
            new = _URL.sub(lambda url: url[1] + own(url[2]), value)
        if new == value:
            return match[0]
        quoted = new.replace('"', "&quot;")
        return f'{match["name"]}="{quoted}"'

    return _TAG.sub(lambda tag: _ATTRIBUTE.sub(attribute, tag[0]), content)
