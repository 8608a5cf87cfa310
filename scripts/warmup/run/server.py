"""The fork server: one process that has imported torch, from which each snippet's process is forked.

It is multiprocessing's own, of which a process has one. Where a platform cannot fork, processes are spawned instead.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.forkserver
import multiprocessing.resource_tracker
import os
import signal
import sys
import threading
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from warmup.run import needs

ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    # Asks the driver whether there is a GPU, without initializing CUDA: a forked child could not use it then.
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    **needs.interpreter(),
}
# What takes seconds to import, and what most snippets need.
IMPORTS = ("torch", "torch._dynamo", "numpy")


class ForkServer:
    """The one fork server that multiprocessing has in this process, with our imports and environment."""

    _lock = threading.Lock()
    _users = 0
    _environment: Mapping[str, str] = ENVIRONMENT

    @classmethod
    def acquire(
        cls,
        context: multiprocessing.context.BaseContext,
        environment: Mapping[str, str],
        imports: Sequence[str] = IMPORTS,
    ) -> None:
        """Start the server for one more user; users at the same time share its environment.

        imports: modules that it imports, where this user is the first.

        Raises:
            RuntimeError: another user has another environment, or somebody else has started a server.
        """
        server = multiprocessing.forkserver._forkserver
        with cls._lock:
            if cls._users and environment != cls._environment:
                raise RuntimeError(
                    "another Runner with another environment is entered: leave it before you enter this one"
                )
            if not cls._users and getattr(server, "_forkserver_pid", None) is not None:
                raise RuntimeError(
                    "this process runs a fork server already, without torch preloaded: "
                    "enter the Runner before anything else uses multiprocessing's forkserver"
                )
            cls._users += 1
            cls._environment = environment
            if context.get_start_method() == "forkserver":
                context.set_forkserver_preload([*imports, "warmup.run.child"])
            cls.ensure(context, environment)

    @staticmethod
    def ensure(context: multiprocessing.context.BaseContext, environment: Mapping[str, str]) -> None:
        """Start the server, also if it has died since."""
        if context.get_start_method() == "forkserver":
            with _variables(environment):
                multiprocessing.forkserver.ensure_running()

    @classmethod
    def kill(cls) -> None:
        """End the server at once, with all that it has started; `ensure` starts another one."""
        server = multiprocessing.forkserver._forkserver
        with cls._lock:
            if (pid := getattr(server, "_forkserver_pid", None)) is not None:
                os.kill(pid, signal.SIGKILL)
                server._stop()  # type: ignore[attr-defined]  # waits for it, so that `ensure` knows that it is gone

    @staticmethod
    def pids() -> set[int]:
        """The processes that multiprocessing has started for this one: the server, and its tracker of resources."""
        server, tracker = multiprocessing.forkserver._forkserver, multiprocessing.resource_tracker._resource_tracker
        found = (getattr(server, "_forkserver_pid", None), getattr(tracker, "_pid", None))
        return {pid for pid in found if pid is not None}

    @classmethod
    def release(cls) -> None:
        """Stop the server if this was its last user."""
        with cls._lock:
            cls._users -= 1
            if not cls._users:
                server = multiprocessing.forkserver._forkserver
                server._stop()  # type: ignore[attr-defined]  # there is no public way to stop it


@contextmanager
def no_main_module() -> Iterator[None]:
    """Hide this process's `__main__` from a process that is started meanwhile.

    multiprocessing tells a process that it starts which script its parent runs, and the process imports that script
    again before it does anything else, because what it shall call could be defined there. Here the script is pytest
    or `python -m warmup`, and what is called stands in `warmup.run.child`: a snippet shall not meet, and not wait for,
    what that script imports. A module without a file is nothing that could be imported again.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _variables(values: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for the time of a with statement."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
