"""What the Python of a browser does for a page: run one program after another.

There is one process for all of them, and none can be forked. So this brings back what a program could have changed for
the next: ``__main__``, the seeds, how gradients, dtypes and devices start, and that a warning is an error. Modules that
a program imports or patches stay as it leaves them. Nothing but the standard library and a module that needs no more
is imported here, because this is loaded without the rest of the project. What a run is worth is not said here, because
a program could change that.
"""

from __future__ import annotations

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

# A judge and what it judges are one program: no process can be started. Nor may it print a time.
_JUDGED = {
    "judge.py": """\
import sys
import types

judge = sys.modules["judge"] = types.ModuleType("judge")
judge.__file__ = "judge.py"
exec(compile({judge!r}, "judge.py", "exec"), vars(judge))
verdict = judge.judge.judge({source!r}, "solution.py")
verdict.seconds = 0.0
print(judge.told(judge.judge, verdict))
raise SystemExit(not verdict.passed)
""",
    "check.py": """\
import sys
import types
from pathlib import Path

check = sys.modules["check"] = types.ModuleType("check")
check.__file__ = "check.py"
exec(compile({judge!r}, "check.py", "exec"), vars(check))
Path("fixed.py").write_text({source!r}, encoding="utf-8")
gone, text = check.tried(check.check, Path("fixed.py"))
print(text)
raise SystemExit(not gone)
""",
}

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


def judge(name: str, text: str, source: str) -> str:
    """Run a judge on a source, as ``run`` does with a program.

    Args:
        name: of its file, judge.py or check.py.
        text: its own.
        source: what it judges.
    """
    return run(name, _JUDGED[name].format(judge=text, source=source))


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
