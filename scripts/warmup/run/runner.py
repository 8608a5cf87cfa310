"""Runs snippets, each in a fresh process that is forked from a server which has imported torch already."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from warmup.content import sources
from warmup.content.header import Header, HeaderError, parse
from warmup.run import child, orphans
from warmup.run.limits import Limits
from warmup.run.needs import missing_need
from warmup.run.process import OnOutput, Process, kill
from warmup.run.result import Result, shown
from warmup.run.server import ENVIRONMENT, IMPORTS, ForkServer, no_main_module

OUTPUT_LIMIT = 256 * 1024  # bytes a stream
GRACE = 1.0  # seconds that a snippet's own processes may outlive it


class TorchMissing(RuntimeError):
    """torch is not installed, so no snippet can run."""

    def __init__(self) -> None:
        super().__init__("torch is not installed: run `make test`, or `pip install -r requirements-test.txt`")


class Runner:
    """Runs snippets; a context manager that starts and stops the fork server.

    output_limit: bytes kept of each stream, beyond which the snippet is killed. grace: seconds that processes
    of the snippet may outlive it. environment: variables of the snippets' processes on top of ENVIRONMENT; two
    runners with different ones cannot be entered at the same time. patience: multiplies the headers' timeouts.
    imports: modules that the server imports for all snippets, where it is not started already; worth its time if many
    snippets import them. What is not installed, each snippet misses itself, and what is not named, torch too, it
    imports itself.
    limits: what each snippet may take of this machine; none where the machine is ours.
    If the runner dies, however it dies, the server and the snippets die too; only processes that a snippet itself
    started may stay.
    """

    def __init__(
        self,
        *,
        output_limit: int = OUTPUT_LIMIT,
        grace: float = GRACE,
        environment: Mapping[str, str] | None = None,
        patience: float = 1.0,
        imports: Sequence[str] = IMPORTS,
        limits: Limits | None = None,
    ) -> None:
        self.output_limit, self.grace, self.patience = output_limit, grace, patience
        self._imports, self._limits = imports, limits
        self._environment = {**ENVIRONMENT, **(environment or {})}
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        forks = "forkserver" in multiprocessing.get_all_start_methods()
        self._context = multiprocessing.get_context("forkserver" if forks else "spawn")

    def __enter__(self) -> Runner:
        """Raises TorchMissing. Returns at once; the first run waits until the server has imported torch."""
        if importlib.util.find_spec("torch") is None:
            raise TorchMissing
        ForkServer.acquire(self._context, self._environment, self._imports)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._kill_all()
        ForkServer.release()

    def run(
        self,
        path: str | os.PathLike[str],
        timeout: float | None = None,
        *,
        declared: Header | None = None,
        on_output: OnOutput | None = None,
    ) -> Result:
        """Run one snippet. What it does wrong is in the result.

        timeout: seconds of processor time, instead of those of its header. declared: a header to use instead of the
        file's own. on_output: gets what is printed when it is printed.
        """
        return self._run(Path(path), timeout, threading.Event(), declared, on_output)

    def run_many(self, paths: Iterable[str | os.PathLike[str]], workers: int = 2) -> Iterator[Result]:
        """Run snippets, `workers` at a time, and yield each result when it is there.

        Closing the iterator, or an exception such as KeyboardInterrupt, kills what still runs.
        """
        stop = threading.Event()
        pool = ThreadPoolExecutor(workers)
        try:
            futures = [pool.submit(self._run, Path(path), None, stop) for path in paths]
            for future in as_completed(futures):
                yield future.result()
        finally:
            stop.set()
            self._kill_all()
            pool.shutdown(cancel_futures=True)

    def _run(
        self,
        path: Path,
        timeout: float | None,
        stop: threading.Event,
        declared: Header | None = None,
        on_output: OnOutput | None = None,
    ) -> Result:
        try:
            header = declared or parse(sources.text(path), shown(path))
        except HeaderError as error:
            return Result(path, "failed", message=str(error))
        except (OSError, ValueError) as error:
            return Result(path, "failed", message=f"{shown(path)} cannot be read: {error}")
        if reason := missing_need(header):
            return Result(path, "skipped", message=f"{shown(path)} {reason}")
        with tempfile.TemporaryDirectory(prefix="warmup-", ignore_cleanup_errors=True) as folder:
            for name in ("work", "tmp"):
                Path(folder, name).mkdir()
            try:
                program = sources.place(path.resolve(), Path(folder, "program"))
            except (OSError, ValueError) as error:
                return Result(path, "failed", message=f"{shown(path)} cannot be run: {error}")
            limit = header.timeout * self.patience if timeout is None else timeout
            run = Process(path, limit, self.output_limit, self.grace, on_output, self._limits)
            with run.pipes(self._context) as (out, err):
                file_limit = self._limits.file if self._limits else 0
                args = (str(program), out, err, folder, "cuda" in header.needs, header.draws, file_limit)
                with self._lock:
                    if stop.is_set():
                        return Result(path, "skipped", message=f"{shown(path)} was not run: the run was stopped")
                    ForkServer.ensure(self._context, self._environment)
                    try:
                        with no_main_module():
                            start = self._context.Process  # type: ignore[attr-defined]  # typeshed knows it of subclasses only
                            run.start(start(target=child.main, args=args))
                    except KeyboardInterrupt:
                        ForkServer.kill()  # it may be about to start a process that nobody would watch
                        raise
                    self._groups.add(run.pid)
                out.close()
                err.close()
                try:
                    run.watch()
                except BaseException:
                    kill(run.pid)
                    raise
                finally:
                    with self._lock:
                        self._groups.discard(run.pid)
                    if orphans.adopting():  # then it runs one program at a time
                        orphans.end(ForkServer.pids())
                with self._lock:  # multiprocessing polls all its processes whenever one is started
                    run.collect_code()
            return run.result(Path(folder, "report.json"), Path(folder, child.DRAWING))

    def _kill_all(self) -> None:
        with self._lock:
            for group in self._groups:
                kill(group)
