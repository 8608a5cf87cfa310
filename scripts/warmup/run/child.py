"""What happens inside the fresh process that runs one snippet; imported by the fork server."""

from __future__ import annotations

import atexit
import gc
import getpass
import importlib.machinery
import json
import multiprocessing
import multiprocessing.forkserver
import multiprocessing.process
import os
import resource
import signal
import site
import sys
import tempfile
import threading
import types
import weakref
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TextIO

from warmup.run import drawing, emulation, orphans, tolerated

DRAWING = "drawing.svg"


def main(
    path: str,
    stdout_conn: Connection,
    stderr_conn: Connection,
    folder: str,
    needs_cuda: bool,
    draws: bool,
    file_limit: int,
) -> None:
    """Run the snippet `path` as `__main__`, then leave the process; never returns.

    `folder` exists and belongs to this run: the snippet works in its `work/`, and `report.json` there
    says which torch, "" for none, and which device it used; what it `draws` stands in DRAWING. Its temporary folder is
    `tmp/` there. The caller removes it. A file of more than `file_limit` bytes ends the process, 0 for none.
    """
    os.setsid()
    _die_with_parent()
    _redirect(stdout_conn, stderr_conn)
    _look_like_the_main_process()

    if torch := sys.modules.get("torch"):  # else it looks at the variable itself when the snippet imports it
        torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))  # set by the runner
    if seed := os.environ.get(emulation.ROUNDING):
        from warmup.run import rounding

        rounding.install(int(seed), Path(path).read_text(encoding="utf-8"))
    gc.freeze()  # what the server imported is no garbage of the snippet's: a collection need not walk it
    os.chdir(Path(folder, "work"))
    # What torch compiles stays where it would be: the next run need not compile it again.
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(Path(tempfile.gettempdir(), f"torchinductor_{_user()}")))
    os.environ["TMPDIR"] = str(Path(folder, "tmp"))
    tempfile.tempdir = None  # what the server found out of TMPDIR
    if file_limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which Python ignores: an OSError could be caught
    if draws:
        drawing.record_into(Path(folder, DRAWING))
    tolerated.make_warnings_errors()
    code = _execute(path)
    _write_report(Path(folder, "report.json"), needs_cuda)
    code = _finish(code)
    os._exit(code)


def _die_with_parent() -> None:
    # The server ends when the last writer of this pipe is gone; a child that kept it open would keep
    # the server alive after the runner was killed, and itself with it.
    server = multiprocessing.forkserver._forkserver
    inherited = getattr(server, "_forkserver_alive_fd", None)
    if inherited is not None:
        os.close(inherited)
        server._forkserver_alive_fd = None  # type: ignore[attr-defined]  # or it would be closed again
    orphans.follow_parent(signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        os._exit(1)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid_{os.getuid()}"  # a container may run as somebody who has no name


def _redirect(stdout_conn: Connection, stderr_conn: Connection) -> None:
    for conn, fd in ((stdout_conn, 1), (stderr_conn, 2)):
        os.dup2(conn.fileno(), fd)
        conn.close()
    sys.stdout, sys.stderr = _stream(1, "strict"), _stream(2, "backslashreplace")
    sys.__stdout__ = sys.stdout  # type: ignore[misc,assignment]  # final for all but who starts an interpreter
    sys.__stderr__ = sys.stderr  # type: ignore[misc,assignment]  # as above


def _stream(fd: int, errors: str) -> TextIO:
    return open(fd, "w", buffering=1, encoding="utf-8", errors=errors, closefd=False)


def _look_like_the_main_process() -> None:
    multiprocessing.set_start_method(None, force=True)
    process = multiprocessing.current_process()
    process._identity = ()  # or the snippet's own processes would be called Process-7:1
    process.name = "MainProcess"
    multiprocessing.process._parent_process = None  # type: ignore[attr-defined]  # what parent_process() returns


def _execute(path: str) -> int:
    """The exit code of the snippet, traceback printed; what remains to be done at exit is not done yet."""
    sys.argv = [path]
    installed = (sys.prefix, sys.base_prefix, site.getusersitepackages())  # so: nothing of this repository
    sys.path[:] = [os.path.dirname(path), *(entry for entry in sys.path if entry.startswith(installed))]
    for name in [name for name in sys.modules if name.partition(".")[0] == "warmup"]:
        del sys.modules[name]
    # Not runpy.run_path: it takes the module away when the code ends, but exit handlers still need it.
    module = types.ModuleType("__main__")
    module.__dict__.update(
        __file__=path,
        __builtins__=__builtins__,
        __loader__=importlib.machinery.SourceFileLoader("__main__", path),
    )
    sys.modules["__main__"] = module
    # At exit torch would take its operator libraries apart (0.03 s); nobody can see whether it did.
    registry = weakref.finalize._registry  # type: ignore[attr-defined]  # nothing public lists finalizers
    for finalizer in list(registry):
        finalizer.atexit = False
    try:
        code = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
        exec(code, module.__dict__)
    except SystemExit as error:
        return _exit_code(error)
    except BaseException as error:
        traceback = error.__traceback__.tb_next if error.__traceback__ else None
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _exit_code(error: SystemExit) -> int:
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    print(error.code, file=sys.stderr)
    return 1


def _write_report(file: Path, needs_cuda: bool) -> None:
    torch = sys.modules.get("torch")
    device = f"a CPU with {os.cpu_count()} cores"
    if needs_cuda:
        device = torch.cuda.get_device_name() if torch and torch.cuda.is_available() else ""
    version = torch.__version__ if torch else ""
    file.write_text(json.dumps({"torch": version, "device": device}), encoding="utf-8")


def _finish(code: int) -> int:
    """What the interpreter does at its end and os._exit skips: threads, exit handlers, globals, buffers.

    A snippet's `__del__` methods print where they print under plain `python`: the interpreter sets the globals of
    `__main__` to None in the order of their definition, first those that begin with one underscore, then all others
    but `__builtins__`, which the methods still need.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # waits for all threads, as Py_FinalizeEx does
    atexit._run_exitfuncs()
    names = sys.modules["__main__"].__dict__
    for name in [*(n for n in names if n[0] == "_" and n[1:2] != "_"), *names]:
        if name != "__builtins__":
            names[name] = None
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return code or 120
    return code
