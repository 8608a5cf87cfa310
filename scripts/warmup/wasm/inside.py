"""What the Python of a browser does for a page: run one program after another, and compare what each printed.

There is one process for all of them, and none can be forked. So this brings back what a program could have changed for
the next: ``__main__``, the seeds, how gradients, dtypes and devices start, and that a warning is an error. Modules that
a program imports or patches stay as it leaves them. Nothing but the standard library and two modules that need no more
is imported here, because this is loaded without the rest of the project.
"""

from __future__ import annotations

import difflib
import importlib
import json
import linecache
import random
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path

from warmup.run import tolerated
from warmup.run.digits import masked

_renew: list[Callable[[], object]] = []  # what brings torch and numpy back to how they begin


def prepare(modules: list[str]) -> None:
    """Import what programs need, and remember how it begins. They find nothing of the project."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "warmup"]:
        del sys.modules[name]
    for module in modules:
        importlib.import_module(module)
    if "numpy" in sys.modules:
        numpy = sys.modules["numpy"]
        _renew.append(numpy.random.seed)
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        _renew.extend(
            [
                lambda: torch.default_generator.manual_seed(random.getrandbits(63)),  # no process has the last one's
                lambda: torch.set_grad_enabled(True),
                lambda: torch.set_default_dtype(torch.float32),
                lambda: torch.set_default_device(None),
                lambda: torch.use_deterministic_algorithms(False),
                lambda: torch.autograd.set_detect_anomaly(False),
                lambda: torch.set_printoptions(profile="default"),
            ]
        )


def run(name: str, source: str) -> str:
    """Run a program as ``__main__``, as if it were the first.

    Args:
        name: of its file, which it gets in the current folder.
        source: its text.

    Returns:
        JSON with its exit code, its seconds, and the version of torch, "" without one.
    """
    path = str(Path.cwd() / name)
    Path(path).write_text(source, encoding="utf-8")  # for tracebacks, and for who asks for his own source
    linecache.checkcache(path)
    random.seed()
    for renew in _renew:
        renew()
    tolerated.make_warnings_errors()
    begun = time.perf_counter()
    code = _execute(path, source)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    torch = getattr(sys.modules.get("torch"), "__version__", "")
    return json.dumps({"code": code, "seconds": round(time.perf_counter() - begun, 3), "torch": str(torch)})


def _execute(path: str, source: str) -> int:
    sys.argv = [path]
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=path, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return (error.code or 0) & 0xFF
        print(error.code, file=sys.stderr)
        return 1
    except BaseException as error:
        traceback = error.__traceback__.tb_next if error.__traceback__ else None
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        return 1
    return 0


def compared(name: str, recorded: str, printed: str, code: int) -> str:
    """How a run compares with the record.

    Returns:
        JSON with a word (equal, numbers, different or failed), a sentence and a diff.
    """
    if code:
        return json.dumps({"word": "failed", "text": f"Ended with exit code {code}.", "difference": ""})
    if printed == recorded:
        return json.dumps({"word": "equal", "text": "Equals the recorded output.", "difference": ""})
    lines = difflib.unified_diff(
        recorded.splitlines(), printed.splitlines(), f"{name} (recorded)", f"{name} (this run)", lineterm=""
    )
    but = masked(recorded) == masked(printed)
    sentence = "Equals the recorded output but for its numbers." if but else "Differs from the recorded output."
    return json.dumps({"word": "numbers" if but else "different", "text": sentence, "difference": "\n".join(lines)})
