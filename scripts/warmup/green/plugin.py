"""The plugin of pytest that leaves out what was green: `make test` names a file for it with ``--green``.

Left out are tests for which everything is as it was when they were green: their module, the programs, outputs and pages
that they depend on, whatever else of the project they were seen to open, the tools, the packages, the processor and
its settings. Only what passed is remembered, and nothing that was edited while the tests ran.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections import defaultdict
from pathlib import Path

import pytest

from warmup import memory, testing
from warmup.green.digests import Files
from warmup.green.memory import SOURCES, Entry, Memory, State
from warmup.green.trace import Trace
from warmup.green.units import SITE, Unit
from warmup.project import ROOT

OPTION = "--green"
# Fixtures that build a site for all workers, in one of them: what a test looks at of it counts, not what it is made of.
BUILDING = ("site", "sample_site")
# Who looks at more files of the site, or of one of the project's folders, depends on all of them.
MANY = 200


class Green:
    """Remembers what was green.

    Args:
        config: pytest's.
        file: the memory.
        everything: whether nothing is left out.
    """

    def __init__(self, config: pytest.Config, file: Path, everything: bool) -> None:
        self.config, self.file = config, file
        self.began = time.time()
        self.before = Memory() if everything else Memory.read(file)
        self.state = State(Files(ROOT))
        self.trace = Trace()
        self.left_out = 0
        self._whole: dict[str, Unit | None] = {}
        self._collected: defaultdict[str, set[str]] = defaultdict(set)  # ids by unit
        self._units: dict[str, Unit] = {}
        self._owners: dict[str, set[str]] = {}  # fixtures and module by id
        self._phases: defaultdict[str, dict[str, bool]] = defaultdict(dict)  # whether each passed, by id
        self._told: list[dict] = []

    @property
    def _folder(self) -> Path:
        """The folder that all workers of this run share."""
        mine: Path = self.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # public as a fixture only
        return mine.parent if hasattr(self.config, "workerinput") else mine

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Begin to build the site while workers collect, if they will ask for it."""
        sites = any(name.startswith("tests/site/") for name in self.before.entries)
        if sites and not hasattr(self.config, "workerinput") and self.before.built[0] != self.state.sources:
            threading.Thread(target=testing.built, args=(self._folder,), daemon=True).start()

    # ---- what is left out ----

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        if not collection_path.is_file() or not collection_path.is_relative_to(ROOT):
            return None
        path = collection_path.relative_to(ROOT).as_posix()
        if path not in self.before.entries or not (unit := self._unit_of(path)):
            return None
        entry = self.before.entries[path]
        if not entry.whole or not self.state.knows(entry, unit):
            return None
        self.left_out += len(entry.tests)
        return True

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        for item in items:
            unit = self._unit(item)
            self._units[item.nodeid] = unit
            self._collected[unit.name].add(item.nodeid)
        known = {unit.name: unit for unit in self._units.values() if unit.name in self.before.entries}
        if any(unit.site for unit in known.values()):
            self._look_at_site()
        green = {name for name, unit in known.items() if self.state.knows(self.before.entries[name], unit)}
        green_tests = {test for name in green for test in self.before.entries[name].tests}
        kept = [item for item in items if item.nodeid not in green_tests]
        self.left_out += len(items) - len(kept)
        items[:] = kept
        self.trace.listen()

    def _unit_of(self, path: str) -> Unit | None:
        if path not in self._whole:
            self._whole[path] = self.state.units.whole(path)
        return self._whole[path]

    def _unit(self, item: pytest.Item) -> Unit:
        path = item.path.relative_to(ROOT).as_posix()
        parameter = item.name.partition("[")[2].removesuffix("]")
        return self._unit_of(path) or self.state.units.single(path, item.nodeid, parameter)

    def _look_at_site(self) -> None:
        """Know the site's files: from before if nothing has changed of which it is built, else by building it."""
        sources, built = self.before.built
        if sources == self.state.sources:
            self.state.site = built
        elif not testing.built(self._folder):
            self.state.site = self._built()

    def _built(self) -> dict[str, str]:
        site = Files(testing.site_folder(self._folder))
        paths = sorted(path for path in site.root.rglob("*") if path.is_file())
        return {(name := path.relative_to(site.root).as_posix()): site.one(name) for path in paths}

    # ---- what is seen ----

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item):
        # A block of Python on a page has no fixtures.
        found = item._fixtureinfo.name2fixturedefs.values() if isinstance(item, pytest.Function) else ()
        memory.forget_files()
        self._owners[item.nodeid] = {item.nodeid, *(_name(one) for several in found for one in several)}
        with self.trace.owner(item.nodeid):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef):
        with self.trace.owner("" if fixturedef.argname in BUILDING else _name(fixturedef)):
            return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._phases[report.nodeid][report.when] = report.passed and not hasattr(report, "wasxfail")

    # ---- what is remembered ----

    def _seen(self) -> dict:
        """What this process saw, as text that goes from a worker to its controller."""
        ran = self._phases.keys() & self._owners.keys()
        green = {test for test in ran if len(self._phases[test]) == 3 and all(self._phases[test].values())}
        return {
            "collected": {name: sorted(tests) for name, tests in self._collected.items()},
            "ran": {test: self._units[test].name for test in ran},
            "green": {test: self._opened(test) if self._units[test].traced else [] for test in green},
            "left_out": self.left_out,
        }

    def _opened(self, test: str) -> list[str]:
        found = set().union(*map(self._named, self._owners[test]))
        for whole in (SITE, "docs/", "snippets/", "scripts/"):
            below = {path for path in found if path.startswith(whole)}
            if len(below) > MANY:
                found = found - below | {whole.removesuffix("/")}
        return sorted(found)

    @functools.cache  # noqa: B019  # asked for when the tests have ended, for each test that has this owner
    def _named(self, owner: str) -> set[str]:
        """The paths that an owner opened, as a memory names them; what is not of the project is left away."""
        site, sample = testing.site_folder(self._folder), testing.sample_folder(self._folder)
        found = set()
        for path in self.trace.by_owner[owner]:
            one, end = Path(path), "/" if path.endswith("/") else ""
            if one.is_relative_to(site):
                name = one.relative_to(site).as_posix()
                found.add(SITE + ("" if name == "." else name) + end)
            elif one.is_relative_to(sample):
                found |= testing.sample_sources()
            elif one.is_relative_to(ROOT):
                name = one.relative_to(ROOT).as_posix()
                if name == "." and not end:
                    found |= {"docs", "snippets"}  # a process that works in the project
                elif name.startswith(("docs", "snippets", "scripts", "tests/", "mkdocs", ".github")) or "/" not in name:
                    found.add(name + end)
        return {name for name in found if "__pycache__" not in name and not name.endswith(".tmp")}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        if "green" in getattr(node, "workeroutput", {}):
            self._told.append(node.workeroutput["green"])  # type: ignore[attr-defined]  # xdist's node has it

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["green"] = self._seen()
            return
        if not self.config.pluginmanager.hasplugin("dsession"):  # no workers have told
            self._told.append(self._seen())
        self.left_out = max((one["left_out"] for one in self._told), default=0)
        self._remember()
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.left_out:
            session.exitstatus = pytest.ExitCode.OK

    def _remember(self) -> None:
        """Write what was green in this run, and keep what was before and still holds."""
        now = State(Files(ROOT))
        sources, built = now.sources, testing.site_folder(self._folder).exists()
        if built:
            now.site = self._built()
        elif sources == self.before.built[0]:
            now.site = self.before.built[1]
        memory = Memory(dict(Memory.read(self.file).entries), (sources, dict(now.site)) if now.site else ("", {}))
        collected = {name: tests for one in self._told for name, tests in one["collected"].items()}
        ran: defaultdict[str, set[str]] = defaultdict(set)
        green: defaultdict[str, set[str]] = defaultdict(set)
        opened: defaultdict[str, set[str]] = defaultdict(set)
        for one in self._told:
            for test, name in one["ran"].items():
                ran[name].add(test)
                if test in one["green"]:
                    green[name].add(test)
                    opened[name] |= set(one["green"][test])
        for name in ran:
            memory.entries.pop(name, None)
            path, _, rest = name.partition("::")
            unit = now.units.whole(path) or now.units.single(path, name, rest.partition("[")[2].removesuffix("]"))
            old = self.before.entries.get(name)
            if old and now.knows(old, unit):
                green[name] |= old.tests - ran[name]
                opened[name] |= set(old.opened)
            own = [one for one in (*unit.depends, *opened[name]) if not one.startswith(SITE)]
            if green[name] and now.files.newest([*own, *(SOURCES if unit.site else ())]) < self.began:
                paths = tuple(sorted(opened[name]))
                whole = green[name] >= set(collected[name])
                memory.entries[name] = Entry(now.of(unit, paths), paths, frozenset(green[name]), whole)
        memory.write(self.file)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.left_out:
            terminalreporter.write_line(
                f"{self.left_out} tests were not run: they were green here before, and nothing that they depend on "
                "has changed. `make test ALL=1` runs them too."
            )


def _name(fixture: pytest.FixtureDef) -> str:
    return f"fixture {fixture.baseid}::{fixture.argname}"


def wanted(config: pytest.Config) -> Path | None:
    """The memory that the command line names; None where part of the tests is chosen, whose modules are not whole."""
    file = config.getoption(OPTION)
    return Path(file).absolute() if file and not (config.option.keyword or config.option.markexpr) else None


def everything() -> bool:
    """Whether all tests are run: in CI, and where ``ALL`` says so."""
    return any(os.environ.get(name, "").lower() in ("1", "true") for name in ("CI", "ALL"))
