"""``wasm.json``: which files a browser needs, where each is, what its hash is and whose build it has to be."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from warmup.project import Problem, relative

FILE = Path(__file__).with_name("wasm.json")
NPM = "pkg:npm/"
PYPI = "pkg:pypi/"


@dataclass(frozen=True)
class Pin:
    """One file.

    url: where it is, or a package URL (https://github.com/package-url/purl-spec) of npm's or of a pure wheel of PyPI's.
    algorithm: of its digest, which is hexadecimal; "" where nobody has filled it in yet.
    attested: the repository whose build has to have made it, as in owner/name; "" where the hash is enough.
    """

    name: str
    version: str
    url: str
    algorithm: str
    digest: str
    depends: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    attested: str = ""

    @property
    def file(self) -> str:
        """The name of the file."""
        if self.url.startswith(NPM):
            return f"{self.name}-{self.version}.tgz"
        if self.url.startswith(PYPI):
            return f"{self.name.replace('-', '_')}-{self.version}-py3-none-any.whl"
        return unquote(urlsplit(self.url).path.rpartition("/")[2])


@dataclass(frozen=True)
class Pins:
    """The runtime's tarball, the wheels, and the modules that are imported before the first program runs."""

    runtime: Pin
    packages: tuple[Pin, ...]
    prepared: tuple[str, ...]

    def problems(self) -> list[Problem]:
        """What keeps this from being complete."""
        file = relative(FILE)
        return [
            Problem(file, 0, f"{pin.name} has no hash.", "Fill it in from its source.")
            for pin in (self.runtime, *self.packages)
            if not pin.digest
        ]


def read(file: Path = FILE) -> Pins:
    """Read ``wasm.json``.

    Raises:
        KeyError: an entry lacks a field that it must have.
    """
    content = json.loads(file.read_text(encoding="utf-8"))
    runtime = content["runtime"]
    return Pins(
        Pin(runtime["name"], runtime["version"], runtime["url"], "sha512", _hexadecimal(runtime)),
        tuple(
            Pin(
                one["name"],
                one["version"],
                one["url"],
                "sha256",
                one["sha256"],
                tuple(one["depends"]),
                tuple(one["imports"]),
                one.get("attested", ""),
            )
            for one in content["packages"]
        ),
        tuple(content["prepared"]),
    )


def _hexadecimal(runtime: dict) -> str:
    import base64

    return base64.b64decode(runtime["sha512"]).hex()  # npm writes it in base 64
