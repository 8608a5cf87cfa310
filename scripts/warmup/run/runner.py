"""Runs snippets, each in a fresh process that is forked from a server which has imported torch already."""

from __future__ import annotations

import functools
import importlib.util
import json
import multiprocessing
import multiprocessing.forkserver
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from warmup.content.header import Header, HeaderError, parse
from warmup.run import child

ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    # Asks the driver whether there is a GPU, without initializing CUDA: a forked child could not use it then.
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
}
PRELOAD = ["torch", "torch._dynamo", "numpy", "warmup.run.child"]
OUTPUT_LIMIT = 256 * 1024  # bytes a stream
GRACE = 1.0  # seconds that a snippet's own processes may outlive it
_KILL_WAIT = 5.0  # seconds until a killed process counts as gone, whatever the kernel says


class TorchMissing(RuntimeError):
    """torch is not installed, so no snippet can run."""

    def __init__(self) -> None:
        super().__init__("torch is not installed: run `make test`, or `pip install -r requirements-test.txt`")


@dataclass(frozen=True)
class Result:
    """What one run of a snippet gave.

    status: ok, failed, timeout, signal, output-limit, left-children or skipped.
    code: the exit code, None where there is none. signal: the name of the signal that ended it, or "".
    seconds: wall time of the process. message: what happened and what to do, in one sentence; "" if ok.
    torch, device: what the snippet's process reported at its end; "" if it did not get that far.
    """

    path: Path
    status: str
    code: int | None = None
    signal: str = ""
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0
    message: str = ""
    torch: str = ""
    device: str = ""


def missing_need(header: Header) -> str | None:
    """Why this machine cannot run the snippet, and what to install; None if it can."""
    if "cuda" in header.needs and not has_gpu():
        return "needs cuda, and this machine has no NVIDIA GPU (no /dev/nvidia0, none in `nvidia-smi -L`)"
    if "compiler" in header.needs and not has_compiler():
        return (
            "needs a C++ compiler, and none of $CXX, c++, g++ and clang++ is found: "
            "install g++ (`apt install g++`, `dnf install gcc-c++`, on a Mac `xcode-select --install`)"
        )
    return None


@functools.cache
def has_gpu() -> bool:
    """Whether this machine has an NVIDIA GPU; asks no torch."""
    if Path("/dev/nvidia0").exists():
        return True
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return listed.returncode == 0 and b"GPU " in listed.stdout


def has_compiler() -> bool:
    """Whether a C++ compiler is on the PATH: $CXX, c++, g++ or clang++."""
    named = shlex.split(os.environ.get("CXX", ""))[:1]
    return any(shutil.which(name) for name in [*named, "c++", "g++", "clang++"])


class Runner:
    """Runs snippets; a context manager that starts and stops the fork server.

    output_limit: bytes kept of each stream, beyond which the snippet is killed. grace: seconds that processes
    of the snippet may outlive it. environment: variables of the snippets' processes on top of ENVIRONMENT; two
    runners with different ones cannot be entered at the same time. patience: multiplies the headers' timeouts.
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
    ) -> None:
        self.output_limit, self.grace, self.patience = output_limit, grace, patience
        self._environment = {**ENVIRONMENT, **(environment or {})}
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        forks = "forkserver" in multiprocessing.get_all_start_methods()
        self._context = multiprocessing.get_context("forkserver" if forks else "spawn")

    def __enter__(self) -> Runner:
        """Raises TorchMissing. Returns at once; the first run waits until the server has imported torch."""
        if importlib.util.find_spec("torch") is None:
            raise TorchMissing
        _Server.acquire(self._context, self._environment)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._kill_all()
        _Server.release()

    def run(self, path: str | os.PathLike[str], timeout: float | None = None) -> Result:
        """Run one snippet; `timeout` in seconds overrides its header. What it does wrong is in the result."""
        return self._run(Path(path), timeout, threading.Event())

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

    def _run(self, path: Path, timeout: float | None, stop: threading.Event) -> Result:
        try:
            header = parse(path.read_text(encoding="utf-8"), _shown(path))
        except HeaderError as error:
            return Result(path, "failed", message=str(error))
        except (OSError, UnicodeDecodeError) as error:
            return Result(path, "failed", message=f"{_shown(path)} cannot be read: {error}")
        if reason := missing_need(header):
            return Result(path, "skipped", message=f"{_shown(path)} {reason}")
        with tempfile.TemporaryDirectory(prefix="warmup-", ignore_cleanup_errors=True) as folder:
            Path(folder, "work").mkdir()
            limit = header.timeout * self.patience if timeout is None else timeout
            run = _Run(path, limit, self.output_limit, self.grace)
            with run.pipes(self._context) as (out, err):
                args = (str(path.resolve()), out, err, folder, "cuda" in header.needs)
                with self._lock:
                    if stop.is_set():
                        return Result(path, "skipped", message=f"{_shown(path)} was not run: the run was stopped")
                    _Server.ensure(self._context, self._environment)
                    with _no_main_module():
                        run.start(self._context.Process(target=child.main, args=args))
                    self._groups.add(run.pid)
                out.close()
                err.close()
                try:
                    run.watch()
                except BaseException:
                    _kill(run.pid)
                    raise
                finally:
                    with self._lock:
                        self._groups.discard(run.pid)
                with self._lock:  # multiprocessing polls all its processes whenever one is started
                    run.collect_code()
            return run.result(Path(folder, "report.json"))

    def _kill_all(self) -> None:
        with self._lock:
            for group in self._groups:
                _kill(group)


class _Server:
    """The one fork server that multiprocessing has in this process, with our imports and environment."""

    _lock = threading.Lock()
    _users = 0
    _environment: Mapping[str, str] = ENVIRONMENT

    @classmethod
    def acquire(cls, context: multiprocessing.context.BaseContext, environment: Mapping[str, str]) -> None:
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
                context.set_forkserver_preload(PRELOAD)
            cls.ensure(context, environment)

    @staticmethod
    def ensure(context: multiprocessing.context.BaseContext, environment: Mapping[str, str]) -> None:
        """Start the server, also if it has died since."""
        if context.get_start_method() == "forkserver":
            with _environment(environment):
                multiprocessing.forkserver.ensure_running()

    @classmethod
    def release(cls) -> None:
        with cls._lock:
            cls._users -= 1
            if not cls._users:
                multiprocessing.forkserver._forkserver._stop()


class _Run:
    """One process: reads its two streams, ends it when it must end, and says how it ended."""

    def __init__(self, path: Path, timeout: float, limit: int, grace: float) -> None:
        self.path, self.timeout, self.limit, self.grace = path, timeout, limit, grace
        self.status = ""
        self.code: int | None = None
        self.left = 0
        self.escaped = False
        self.pid = 0
        self.seconds = 0.0
        self._selector = selectors.DefaultSelector()

    @contextmanager
    def pipes(self, context: multiprocessing.context.BaseContext) -> Iterator[tuple]:
        """Writing ends for stdout and stderr; everything is closed at the end."""
        (self._out, out), (self._err, err) = context.Pipe(duplex=False), context.Pipe(duplex=False)
        self._buffers = {self._out: bytearray(), self._err: bytearray()}
        try:
            yield out, err
        finally:
            self._selector.close()
            for end in (self._out, self._err, out, err):
                end.close()

    def start(self, process: multiprocessing.process.BaseProcess) -> None:
        self._process = process
        process.start()
        self.pid = process.pid
        self._started = time.monotonic()

    def watch(self) -> None:
        """Return when the process, and the processes that it started, are gone."""
        for end in self._buffers:
            self._selector.register(end, selectors.EVENT_READ)
        self._selector.register(self._process.sentinel, selectors.EVENT_READ)
        deadline = self._started + self.timeout
        while (wait := deadline - time.monotonic()) > 0 or not self.status:
            if wait <= 0:
                self._end("timeout")
                deadline = time.monotonic() + _KILL_WAIT
                continue
            if self._read(wait):
                self._outlive()
                return
            if self.status == "output-limit":
                deadline = min(deadline, time.monotonic() + _KILL_WAIT)

    def _outlive(self) -> None:
        """The process has ended: wait for the ones that it started, kill them after the grace."""
        until = time.monotonic() + self.grace
        while (alive := _alive(self.pid)) or self._selector.get_map():
            if time.monotonic() >= until:
                self.left, self.escaped = alive or 1, not alive
                _kill(self.pid)
                self._read(0)
                return
            self._read(0.01)

    def _read(self, wait: float) -> bool:
        """Wait at most `wait` seconds and take what is there; True if the process has ended."""
        ended = False
        for key, _ in self._selector.select(wait):
            if key.fileobj == self._process.sentinel:
                self.seconds = time.monotonic() - self._started
                self._selector.unregister(key.fileobj)
                ended = True
                continue
            chunk = os.read(key.fd, 65536)
            if not chunk:
                self._selector.unregister(key.fileobj)
            buffer = self._buffers[key.fileobj]
            buffer += chunk
            if len(buffer) > self.limit:
                del buffer[self.limit :]
                self._end("output-limit")
        return ended

    def _end(self, status: str) -> None:
        self.status = self.status or status
        self.seconds = time.monotonic() - self._started
        _kill(self.pid)

    def collect_code(self) -> None:
        self.code = self._process.exitcode
        if self.code is not None:
            self._process.close()

    def result(self, report: Path) -> Result:
        out, err = (bytes(self._buffers[end]).decode("utf-8", "replace") for end in (self._out, self._err))
        try:
            told = json.loads(report.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            told = {}
        name = "SIGKILL" if self.status else ""
        if not self.status and self.code is not None and self.code < 0:
            self.status, name = "signal", _signal_name(-self.code)
        if self.code == 255 and not told:  # all that multiprocessing says if the server was killed
            self.status, name = self.status or "signal", "SIGKILL"
        if not self.status:
            self.status = "failed" if self.code else "left-children" if self.left else "ok"
        return Result(
            path=self.path,
            status=self.status,
            code=None if name or self.code is None else self.code,
            signal=name,
            stdout=out,
            stderr=err,
            seconds=self.seconds,
            message=self._message(name, err),
            torch=told.get("torch", ""),
            device=told.get("device", ""),
        )

    def _message(self, name: str, err: str) -> str:
        path = _shown(self.path)
        if self.status == "ok":
            return ""
        if self.status == "timeout":
            return (
                f"{path} still ran after {self.timeout:g} s and was killed: make it faster, "
                "or give its header a reason in `slow` or a `timeout`"
            )
        if self.status == "output-limit":
            return f"{path} printed more than {self.limit} bytes and was killed: print less"
        if self.status == "signal":
            if name == "SIGKILL":
                return f"{path} was killed (SIGKILL), perhaps for want of memory: run it again, alone"
            what = signal.strsignal(-self.code) or name
            return f"{path} died by {name} ({what}): find the line with `python -X faulthandler {path}`"
        left = "1 process" if self.left == 1 else f"{self.left} processes"
        if self.status == "left-children":
            fate = "in a session of its own, not killed" if self.escaped else "killed"
            return f"{path} left {left} running {self.grace:g} s after its end ({fate}): join what it starts"
        last = next((line.strip() for line in reversed(err.splitlines()) if line.strip()), "nothing on stderr")
        also = f", and left {left} running" if self.left else ""
        return f"{path} exited with code {self.code}{also} ({last}): run `python {path}` to see it"


def run_plain(path: str | os.PathLike[str], timeout: float | None = None) -> Result:
    """Run a snippet as `python path` does, in the same environment, for comparison. `timeout` in seconds."""
    path = Path(path)
    header = parse(path.read_text(encoding="utf-8"), _shown(path))
    limit = header.timeout if timeout is None else timeout
    with tempfile.TemporaryDirectory(prefix="warmup-", ignore_cleanup_errors=True) as work:
        started = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, str(path.resolve())],
            cwd=work,
            env={**os.environ, **ENVIRONMENT, "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        with process:
            try:
                out, err = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                _kill(process.pid)
                out, err = process.communicate()
                message = f"{_shown(path)} still ran after {limit:g} s and was killed"
                return Result(path, "timeout", None, "SIGKILL", out, err, time.monotonic() - started, message)
            except BaseException:
                _kill(process.pid)
                raise
        seconds = time.monotonic() - started
    code = process.returncode
    name = _signal_name(-code) if code < 0 else ""
    status = "ok" if code == 0 else "signal" if name else "failed"
    message = "" if code == 0 else f"{_shown(path)} ended with {name or f'code {code}'}"
    return Result(path, status, None if name else code, name, out, err, seconds, message)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
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


@contextmanager
def _no_main_module() -> Iterator[None]:
    # A started process would import the caller's own script (pytest, say) again; ours needs nothing of it.
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _kill(group: int) -> None:
    """SIGKILL to a process group, or to its leader if that had no time yet to found the group."""
    for send in (os.killpg, os.kill):
        try:
            send(group, signal.SIGKILL)
            return
        except (ProcessLookupError, PermissionError):
            continue


def _alive(group: int) -> int:
    """How many processes of a group live (zombies do not); without /proc 1 stands for any number."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return 0
    if not Path("/proc/self/stat").exists():
        return 1
    count = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stat = Path(entry.path, "stat").read_bytes()
            except OSError:
                continue
            state, _, of_group = stat[stat.rindex(b")") + 2 :].split()[:3]
            count += int(of_group) == group and state not in (b"Z", b"X")
    return count


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _shown(path: Path) -> str:
    """The path as a reader of the terminal would type it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
