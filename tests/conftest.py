"""What holds in every test: seeded, warnings are errors, and a skip says which hardware it waits for."""

from __future__ import annotations

import gc
import importlib.util
import multiprocessing
import os
import sys

import pytest

from warmup.dev import browser
from warmup.green import plugin
from warmup.run import needs, tolerated
from warmup.run.runner import Runner, TorchMissing
from warmup.run.server import IMPORTS
from warmup.vocabulary import NEEDS
from warmup.wasm import files

# One thread: recorded outputs in full precision differ with the number of threads. Before torch is imported.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
os.environ.update(needs.interpreter())


# Python 3.14 starts a fork server for every DataLoader worker; the runner wants that server for itself. On macOS the
# platform's own way stays: to fork after Accelerate or Objective-C has started threads is unsafe there.
if sys.platform == "linux":
    multiprocessing.set_start_method("fork", force=True)


# `make test-live` installs what these need.
collect_ignore = [] if importlib.util.find_spec("jupyter_server") else ["live"]


def pytest_addoption(parser):
    parser.addoption(plugin.OPTION, metavar="FILE", help="leave out what FILE remembers as green; `make test` does")
    parser.addoption("--no-skips", action="store_true", help="a skip is a failure: for machines that have the hardware")


def pytest_configure(config):
    if importlib.util.find_spec("torch") is None:
        pytest.exit(str(TorchMissing()), returncode=3)
    if file := plugin.wanted(config):
        config.pluginmanager.register(plugin.Green(config, file, plugin.everything()))
    for need, words in NEEDS.items():
        config.addinivalue_line("markers", f"{need}: needs what a snippet declares as {need} ({words})")
    for message, category, _ in tolerated.TORCH_WARNINGS:
        config.addinivalue_line("filterwarnings", f"ignore:{message}:{category}")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Collect tests, and garbage later: to look for it takes a quarter of the time, and there is next to none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(items):
    for need in NEEDS:
        marked = [item for item in items if item.get_closest_marker(need)]
        if marked and (reason := needs.missing(need)):
            for item in marked:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and item.config.getoption("--no-skips") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and skips are forbidden here: {report.longrepr[-1]}"
    return report


# What a machine may lack, and what to do about it: many tests do not run without.
LACKED = {browser.MISSING: browser.HELP, files.MISSING: files.HELP}


def skipped_for(missing: str, config) -> int:
    """How many tests were skipped for want of it. The process that prints has all workers' reports."""
    printer = config.pluginmanager.getplugin("terminalreporter")
    skipped = printer.stats.get("skipped", ()) if printer else ()
    return sum(missing in report.longrepr[-1] for report in skipped)


def pytest_sessionfinish(session):
    if skipped_for(browser.MISSING, session.config) and os.environ.get("CI") in ("true", "1"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    for missing, help_ in LACKED.items():
        if count := skipped_for(missing, config):  # after the sum: the very last line
            print(f"{count} tests did not run. {missing} {help_}")


@pytest.fixture(scope="session")
def runner():
    """A runner for all tests of a worker, which has one fork server at a time: to start one takes seconds."""
    # A hundred snippets draw, twenty train on the digits: without this each would spend most of its time importing.
    with Runner(imports=[*IMPORTS, "matplotlib.pyplot", "sklearn.datasets"]) as runner:
        yield runner


@pytest.fixture(scope="module")
def one_thread():
    """Torch computes on one thread: small trainings side by side would wait for each other's."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True, scope="module")
def collections_skip_what_is_older():
    """A collection walks what the module's tests make, and not half a million objects of torch and all tests.

    Half a second each time, and more in a forked process, which copies each page of memory that it walks.
    """
    gc.collect()  # garbage must not stay for ever
    gc.freeze()


@pytest.fixture(autouse=True)
def seeded(request):
    """Claims draw random inputs: the same in every run. What torch says once a process it says to each of them."""
    if "tests/snippets" not in request.path.as_posix():
        return
    import torch

    torch.manual_seed(0)
    torch.set_warn_always(True)
