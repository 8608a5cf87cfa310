"""What the judges of all exercises share: run a solution safely, compare, and say
where and why it is wrong.

A judge names what a solution defines and what it must not call, and has groups of
checks, the simplest first. A group
runs cases: code that a reader can paste, whose last statement calls the solution.
    The first group that fails ends it.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dataclasses
import functools
import io
import json
import linecache
import math
import os
import secrets
import sys
import tempfile
import textwrap
import time
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

sys.path.insert(0, str(Path(__file__).parents[1]))
from watching import limited

SECONDS = 20.0  # of processor time, after which a solution never ends
MEMORY = 2 * 1024**3  # bytes that it may take
PRINTED = 2000  # characters of what it prints that are shown
# The known wrong solutions by name. A judge that was downloaded holds their
# sources; else they are files beside it.
WRONG: dict[str, str] = {}


class Failure(Exception):
    """What is wrong, in a sentence. got: what the solution returned or raised
    there; case: the code that shows it.
    """

    def __init__(self, text: str, got: object = None, case: str = "") -> None:
        super().__init__(text)
        self.text, self.got, self.case = text, got, case


@dataclass
class Verdict:
    """Whether a solution passed, which groups it passed, and else the first that it
    did not, and why.
    """

    passed: bool
    groups: list[str]
    failed: str = ""
    text: str = ""
    case: str = ""
    why: str = ""
    printed: str = ""
    seconds: float = 0.0


# ---- comparing ----


def close(
    got: object,
    expected: Tensor,
    rtol: float = 1e-4,
    atol: float = 1e-5,
    *,
    dtype: torch.dtype | None = None,
    of="",
) -> None:
    """Fail unless ``got`` is a tensor of the shape of ``expected``, finite where
    that is, and near it.

    Args:
        got: what the solution returned.
        expected: of the oracle, in any float or integer dtype.
        rtol, atol: relative and absolute tolerance; ``atol`` has to be far below
            the size of a right answer.
        dtype: that ``got`` must have; any if left out.
        of: what is compared, such as "gradient of x"; the result if left out.
    """
    of = f"{of}: " if of else ""
    if not isinstance(got, Tensor):
        raise Failure(
            f"{of}returned {type(got).__name__} {_short(got)}, expected a Tensor",
            got,
        )
    got = got.detach().as_subclass(Tensor)
    if got.shape != expected.shape:
        raise Failure(
            f"{of}got shape {tuple(got.shape)}, expected {tuple(expected.shape)}",
            got,
        )
    if dtype is not None and got.dtype != dtype:
        raise Failure(f"{of}got dtype {got.dtype}, expected {dtype}", got)
    if got.device != expected.device:
        raise Failure(
            f"{of}got a tensor on {got.device}, expected one on {expected.device}",
            got,
        )
    mine, right = got.double(), expected.detach().double()
    if (lost := ~mine.isfinite() & right.isfinite()).any():
        raise Failure(
            f"{of}{int(lost.sum())} of {lost.numel()} values are not finite", got
        )
    equal = (mine == right) | (mine.isnan() & right.isnan())
    wrong = ~(equal | ((mine - right).abs() <= atol + rtol * right.abs()))
    if wrong.any():
        # Where the difference is largest: rounding in passing would show elsewhere.
        gap = torch.where(
            wrong, (mine - right).abs().nan_to_num(math.inf, math.inf), -1.0
        )
        at = (
            tuple(int(i) for i in torch.unravel_index(gap.argmax(), gap.shape))
            if gap.ndim
            else ()
        )
        many = (
            f" ({int(wrong.sum())} of {wrong.numel()} values differ)"
            if wrong.numel() > 1
            else ""
        )
        where = f"at {at} " if at else ""
        one, other = (f"{part[at].item():.6g}" for part in (mine, right))
        if one == other:
            one, other = (repr(part[at].item()) for part in (mine, right))
        raise Failure(f"{of}{where}got {one}, expected {other}{many}", got)


def same(got: object, expected: object, of: str = "") -> None:
    """Fail unless two plain values (numbers, texts, lists, tuples, dictionaries of
    such) are equal and of one type.
    """
    if type(got) is not type(expected) or got != expected:
        of = f"{of}: " if of else ""
        raise Failure(f"{of}got {_short(got)}, expected {_short(expected)}", got)


def normal(got: Tensor, deviation: float, of: str) -> None:
    """Fail unless some 30,000 numbers look drawn from a normal one around 0."""
    unit = got.detach().double() / deviation
    mean, spread = float(unit.mean()), float(unit.std())
    true(
        abs(mean) < 0.05 and 0.96 < spread < 1.04,
        f"{of}: mean {mean * deviation:.2g}, deviation {spread * deviation:.4g}, "
        f"expected 0 and {deviation:.4g}",
        got,
    )
    # Of a normal distribution 4.6 percent are beyond two deviations.
    far = float((unit.abs() > 2).double().mean())
    true(
        0.036 < far < 0.056,
        f"{of}: {far:.1%} of the values are beyond two deviations, "
        "of a normal distribution 4.6% are",
        got,
    )


def true(holds: bool, otherwise: str, got: object = None) -> None:
    """Fail with a sentence unless something holds."""
    if not holds:
        raise Failure(otherwise, got)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


# ---- running ----


class Largest(TorchDispatchMode):
    """Records in ``elements`` the largest storage, in elements, that any operation
    makes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.elements = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        for one in made if isinstance(made, (list, tuple)) else [made]:
            if isinstance(one, Tensor) and one.device.type != "meta":
                self.elements = max(
                    self.elements,
                    one.untyped_storage().nbytes() // max(1, one.element_size()),
                )
        return made


class _Fills(TorchDispatchMode):
    """Refuses to fill a tensor elsewhere from one on meta. PyTorch's own error is
    that of reading data, which may be right where a result depends on it.
    """

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.copy_.default:
            into, source = args[0].device.type, args[1].device.type
            if source == "meta" != into:
                raise RuntimeError(f"a tensor on {into} is filled from one on meta")
        return func(*args, **(kwargs or {}))


class Printed(io.StringIO):
    """Keeps the beginning of what is printed."""

    def write(self, text: str) -> int:
        if self.tell() < PRINTED:
            super().write(text[:PRINTED])
        return len(text)


class Case(types.SimpleNamespace):
    """The names that a case's code has bound, and ``got``: the value of its last
    statement.
    """

    got: Any


class Solution:
    """A solution that has been loaded, and the case that it runs. Groups get it."""

    def __init__(self, judge: Judge, source: str, filename: str) -> None:
        self.judge, self.code, self.printed = judge, "", Printed()
        self.module = types.ModuleType("solution")
        self.module.__file__ = filename
        try:
            tree = ast.parse(source, filename)
        except (SyntaxError, ValueError, RecursionError) as error:
            line = (
                f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
            )
            raise Failure(
                f"It is not Python{line}: {getattr(error, 'msg', None) or error}."
            ) from None
        judge.refuse_names(tree)
        linecache.cache[filename] = (
            len(source),
            None,
            source.splitlines(keepends=True),
            filename,
        )
        # A dataclass looks its module up here.
        sys.modules["solution"] = self.module
        self.filename = filename
        self._guarded(
            lambda: exec(compile(tree, filename, "exec"), vars(self.module))
        )
        for name, kind in judge.names.items():
            found = getattr(self.module, name, None)
            if found is None:
                raise Failure(f"It defines no {name}.")
            if not callable(found) or (kind == "class") != isinstance(found, type):
                raise Failure(f"{name} is {_short(found)}, expected a {kind}.")

    def run(
        self,
        code: str,
        *,
        writes: Sequence[str] = (),
        under: AbstractContextManager | None = None,
        meta: bool = False,
        **given: object,
    ) -> Case:
        """Run a case, and fail where it raises or changes what it was given.

        Args:
            code: statements, the last of which is an expression with the call. It
                knows ``torch``, ``nn``, ``F``, ``math``, what the solution defines
                and ``given``. Random numbers are its own: seed them.
            writes: the names of what the call may change.
            under: a context for the call alone, such as ``torch.no_grad()`` or
                ``Largest()``.
            meta: move all tensors that were made to the meta device before the
                call.
        """
        self.code = textwrap.dedent(code).strip()
        *before, last = ast.parse(self.code).body
        assert isinstance(last, ast.Expr), "a case ends in an expression"
        names = {"torch": torch, "nn": nn, "F": F, "math": math, "Tensor": Tensor}
        env = {
            **names,
            **{name: getattr(self.module, name) for name in self.judge.names},
            **given,
        }
        known = set(env)
        with torch.random.fork_rng(devices=[]):
            self._guarded(
                lambda: exec(_compiled(ast.Module(before, []), "exec"), env)
            )
            if meta:
                env.update(
                    {
                        name: _on_meta(value)
                        for name, value in env.items()
                        if name not in known
                    }
                )
            watched = {
                name: value
                for name, value in env.items()
                if name not in {*names, *writes, *self.judge.names}
            }
            kept = {name: _kept(value) for name, value in watched.items()}
            with under or contextlib.nullcontext():
                got = self._guarded(
                    lambda: eval(_compiled(ast.Expression(last.value), "eval"), env)
                )
        for name, value in kept.items():
            if not _equal(_kept(env[name]), value):
                raise Failure(f"the argument {name} was changed")
        return Case(
            **{name: value for name, value in env.items() if name not in names},
            got=got,
        )

    def refuses(
        self, code: str, error: type[Exception] = ValueError, **given: Any
    ) -> None:
        """Fail unless the last statement of a case raises ``error``."""
        try:
            case = self.run(code, **given)
        except Failure as failure:
            if isinstance(failure.got, error):
                return
            raised = (
                f"got {failure.text.removeprefix('raised ')}"
                if isinstance(failure.got, BaseException)
                else failure
            )
            raise Failure(
                f"expected {error.__name__}, {raised}", failure.got
            ) from None
        raise Failure(
            f"expected {error.__name__}, but it returned {_short(case.got)}",
            case.got,
        )

    def on_meta(self, code: str, **given: Any) -> None:
        """Fail if the call makes a tensor on another device than its arguments'.

        All tensors are on the meta device: one that is made without ``device=``
            clashes with them. An error that only says that meta tensors hold no
            data is no verdict. A product of a meta and a CPU matrix does not clash.
        """
        _prepare_meta()
        try:
            with _Fills():
                case = self.run(code, meta=True, **given)
        except Failure as failure:
            if isinstance(failure.got, BaseException) and not _is_clash(
                failure.got
            ):
                return
            if isinstance(failure.got, BaseException):
                raise Failure(
                    "a tensor was made on the default device, not on the input's",
                    failure.got,
                ) from None
            raise
        for one in case.got if isinstance(case.got, (list, tuple)) else [case.got]:
            if isinstance(one, Tensor) and one.device.type != "meta":
                raise Failure(
                    "all arguments are on the meta device, "
                    f"and the result is on {one.device}",
                    one,
                )

    def _guarded(self, call: Callable[[], Any]) -> Any:
        """What a call of the reader's code returns; whatever it does wrong is a
        Failure.
        """
        state = _state()
        try:
            with (
                contextlib.redirect_stdout(self.printed),
                contextlib.redirect_stderr(self.printed),
                warnings.catch_warnings(),
                self.judge.forbidding(),
            ):
                # They are printed, and decide nothing.
                warnings.simplefilter("always")
                warnings.showwarning = self._warned
                return call()
        except Failure:
            raise
        except SystemExit as error:
            raise Failure("it called exit", error) from None
        except RecursionError as error:
            raise Failure(
                "raised RecursionError: it calls itself without end", error
            ) from None
        except BaseException as error:  # a solution may raise anything
            raise Failure(
                f"raised {type(error).__name__}: {_first_line(error)}"
                f"{self._line(error)}",
                error,
            ) from None
        finally:
            if changed := _restore(state):
                raise Failure(f"it changed {changed}, which is not its own")

    def _warned(self, message: object, category: type, *_: object) -> None:
        self.printed.write(f"{category.__name__}: {message}\n")

    def _line(self, error: BaseException) -> str:
        """The innermost line of the solution that an error went through."""
        trace, found = error.__traceback__, ""
        while trace:
            if trace.tb_frame.f_code.co_filename == self.filename:
                text = linecache.getline(self.filename, trace.tb_lineno).strip()
                found = f"\n  line {trace.tb_lineno}: {text}"
            trace = trace.tb_next
        return found


def _compiled(tree: ast.Module | ast.Expression, mode: str) -> types.CodeType:
    return compile(tree, "<case>", mode)


def _first_line(error: BaseException) -> str:
    with contextlib.suppress(Exception):
        return (str(error).splitlines() or [""])[0][:300]
    return "(its text cannot be read)"


@functools.cache
def _prepare_meta() -> None:
    """The first backward pass on meta imports parts of torch, which use names that
    a judge may forbid meanwhile.
    """
    with contextlib.suppress(Exception):
        x = torch.ones(1, device="meta", requires_grad=True)
        torch.autograd.grad(x * x, x, torch.ones(1, device="meta"))


def _is_clash(error: BaseException) -> bool:
    text = str(error)
    return (
        "same device" in text
        or "expected device meta" in text
        or ("cpu" in text and "meta" in text)
    )


def _on_meta(value: object) -> object:
    if isinstance(value, Tensor):
        return value.detach().to("meta").requires_grad_(value.requires_grad)
    if isinstance(value, nn.Module):
        return value.to("meta")
    if isinstance(value, (list, tuple)):
        return type(value)(_on_meta(one) for one in value)
    return (
        {key: _on_meta(one) for key, one in value.items()}
        if isinstance(value, dict)
        else value
    )


def _kept(value: object) -> object:
    """A copy of the data in a value: tensors, and what holds them."""
    if isinstance(value, Tensor):
        return value.detach().clone(), tuple(value.stride())
    if isinstance(value, (list, tuple)):
        return [_kept(one) for one in value]
    if isinstance(value, dict):
        return {key: _kept(one) for key, one in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            one.name: _kept(getattr(value, one.name))
            for one in dataclasses.fields(value)
        }
    return value if isinstance(value, (int, float, str, bool, type(None))) else None


def _equal(a: object, b: object) -> bool:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if a.shape != b.shape or a.dtype != b.dtype or a.device != b.device:
            return False
        return a.device.type == "meta" or bool(
            torch.all((a == b) | ((a != a) & (b != b)))
        )
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    return type(a) is type(b) and (a == b or a != a)


# ---- what a solution must leave alone ----

_WATCHED = {
    "torch": torch,
    "torch.Tensor": Tensor,
    "F": F,
    "nn": nn,
    "nn.Module": nn.Module,
    "math": math,
    "": builtins,
}


def _state() -> tuple[dict[str, dict], tuple]:
    return {name: dict(vars(owner)) for name, owner in _WATCHED.items()}, _modes()


def _modes() -> tuple:
    return (
        torch.get_default_dtype(),
        torch.is_grad_enabled(),
        torch.get_default_device(),
        sys.getrecursionlimit(),
    )


def _restore(state: tuple[dict[str, dict], tuple]) -> str:
    """Undo what was done to torch and Python since ``state``; the name of one thing
    that was, or "".
    """
    owners, modes = state
    changed = ""
    for name, before in owners.items():
        owner = _WATCHED[name]
        now = vars(owner)
        for key, value in before.items():
            # torch wraps some of its functions itself when torch._dynamo is
            # imported, which a meta tensor can bring about.
            if now.get(key) is value or _is_torch(now.get(key)):
                continue
            setattr(owner, key, value)
            changed = f"{name}.{key}".lstrip(".")
        # What a class inherits is hidden by what is added to it.
        # Python keeps __slotnames__ in a class that is pickled.
        added = set(now).difference(before, {"__slotnames__"})
        for key in added if isinstance(owner, type) else ():
            if not _is_torch(now[key]):
                delattr(owner, key)
                changed = f"{name}.{key}"
    if _modes() != modes:
        torch.set_default_dtype(modes[0])
        torch.set_grad_enabled(modes[1])
        torch.set_default_device(modes[2])
        sys.setrecursionlimit(modes[3])
        changed = "torch's or Python's settings"
    return changed


def _is_torch(value: object) -> bool:
    code = getattr(value, "__code__", None)
    return code is not None and Path(code.co_filename).is_relative_to(
        Path(torch.__file__).parent
    )


# ---- judging ----


@dataclass
class Judge:
    """Judges solutions of one exercise.

    file: the judge's own, ``__file__``. names: what a solution defines, each a
        "function" or a "class".
    forbidden: the last part of a name that a solution must not use, and what to
        write instead.
    unproven: what is not checked, as a reader is told.
    """

    file: str
    names: Mapping[str, str]
    forbidden: Mapping[str, str] = field(default_factory=dict)
    unproven: str = "speed"
    groups: list[tuple[str, Callable[[Solution], None]]] = field(
        default_factory=list
    )
    # What each known wrong solution passed, and why not the next group.
    _tried: dict[str, tuple[list[str], Failure | None]] = field(
        default_factory=dict, init=False, repr=False
    )

    def group(
        self, title: str
    ) -> Callable[[Callable[[Solution], None]], Callable[[Solution], None]]:
        """Decorate a function that runs cases of a solution and compares."""

        def add(check: Callable[[Solution], None]) -> Callable[[Solution], None]:
            self.groups.append((title, check))
            return check

        return add

    def judge(
        self,
        source: str,
        filename: str = "solution.py",
        *,
        explain: bool = True,
        on_group: Callable[[int], None] | None = None,
        on_failure: Callable[[Verdict], None] | None = None,
    ) -> Verdict:
        """Judge a solution in this process; a time limit is its caller's.

        Args:
            source: the solution's text.
            filename: how messages name it.
            explain: look for a known mistake that gives the same.
            on_group: is told the number of each group before it begins.
            on_failure: is told the verdict on a wrong solution before a known
                mistake is looked for, which may take longer than all else.
        """
        if not self.groups:
            text = "This judge has no groups of checks, so it proves nothing."
            return Verdict(False, [], "it is judged", text)
        began = time.perf_counter()
        solution, passed, failure = self._judged(source, filename, on_group)
        if failure is None:
            return Verdict(True, passed, seconds=time.perf_counter() - began)
        loaded = solution is not None
        title = self.groups[len(passed)][0] if loaded else "it loads"
        found = Verdict(False, passed, title, failure.text, failure.case)
        if loaded:
            found.printed = solution.printed.getvalue()
            # Who has written nothing yet has made no mistake.
            explain = explain and not isinstance(failure.got, NotImplementedError)
            if explain and on_failure:
                on_failure(found)
            found.why = self._why(passed, failure) if explain else ""
        found.seconds = time.perf_counter() - began
        return found

    def _judged(
        self,
        source: str,
        filename: str,
        on_group: Callable[[int], None] | None = None,
    ) -> tuple[Solution | None, list[str], Failure | None]:
        """A solution if it loads, the groups it passes, and why not the next."""
        solution, passed = None, []
        groups = tuple(self.groups)
        try:
            solution = Solution(self, source, filename)
            for number, (title, check) in enumerate(groups):
                if on_group:
                    on_group(number)
                check(solution)
                if tuple(self.groups) != groups:
                    self.groups[:] = groups
                    raise Failure("the solution changed its judge.")
                passed.append(title)
        except Failure as found:
            failure = found
        except Exception as error:  # of the judge's own, on what it did not expect
            text = "what it returned cannot be judged"
            failure = Failure(
                f"{text}: {type(error).__name__}: {_first_line(error)}", error
            )
        else:
            return solution, passed, None
        failure.case = failure.case or (solution.code if solution else "")
        return solution, passed, failure

    def _why(self, passed: list[str], failure: Failure) -> str:
        """What the first lines of a known wrong solution say that passes the same
        groups and then fails in the same way; "" if none does.
        """
        for name, source in WRONG.items():
            if name not in self._tried:
                self._tried[name] = self._judged(source, f"<{name}>")[1:]
            theirs, other = self._tried[name]
            if other and theirs == passed and _alike(failure, other):
                return " ".join(
                    (ast.get_docstring(ast.parse(source)) or "").split()
                )
        return ""

    def refuse_names(self, tree: ast.AST) -> None:
        """Fail if a solution's text uses a forbidden name that it did not define
        itself.
        """
        own = set()
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                own.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.id)
            elif isinstance(node, ast.arg):
                own.add(node.arg)
        for node in ast.walk(tree):
            used = []
            if isinstance(node, ast.Attribute):
                used = [node.attr]
            elif isinstance(node, ast.Name) and node.id not in own:
                used = [node.id]
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                used = [
                    part for alias in node.names for part in alias.name.split(".")
                ]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                used = [node.value]
            for name in used:
                if name in self.forbidden:
                    raise Failure(
                        f"line {node.lineno} uses {name}, which is forbidden: "
                        f"{self.forbidden[name]}."
                    )

    @contextlib.contextmanager
    def forbidding(self) -> Iterator[None]:
        """While this is entered, forbidden functions raise, under whatever name
        they are reached.
        """
        owners = [torch, Tensor, F, nn, torch.special, torch.linalg, torch.autograd]
        found = [
            (owner, name, vars(owner)[name])
            for owner in owners
            for name in self.forbidden
            if name in vars(owner)
        ]

        def refused(name: str) -> Callable:
            def refuse(*args: object, **kwargs: object) -> None:
                raise Failure(
                    f"it calls {name}, which is forbidden: {self.forbidden[name]}"
                )

            return refuse

        for owner, name, _ in found:
            setattr(owner, name, refused(name))
        try:
            yield
        finally:
            for owner, name, value in found:
                setattr(owner, name, value)


def _alike(one: Failure, other: Failure) -> bool:
    a, b = one.got, other.got
    if one.case != other.case:
        return False
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        return a.device.type == "meta" or torch.allclose(
            a.double(), b.double(), 1e-3, 1e-5, equal_nan=True
        )
    # A class of the solution's own is another one in each of them.
    if type(a).__qualname__ != type(b).__qualname__:
        return False
    if isinstance(a, BaseException):
        return _first_line(a) == _first_line(b)
    return one.text == other.text


# ---- the command ----


def main(judge: Judge) -> None:
    """``python judge.py my_solution.py``: 0 if it passes, 1 if it does not, 2 if
    there is nothing to judge.

    It is judged in a process of its own, which may hang, exit, crash or need too
    much memory.
    """
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[0] == "--inside":
        inside(judge, Path(arguments[1]), Path(arguments[2]))
        os._exit(0)  # whatever the solution has left to run at the end
    if (
        len(arguments) == 3
        and arguments[1] == "--group"
        and arguments[2].isdecimal()
    ):
        # In this process, so that a debugger can follow.
        title, check = judge.groups[int(arguments[2]) - 1]
        check(
            Solution(
                judge,
                Path(arguments[0]).read_text("utf-8-sig"),
                str(Path(arguments[0]).resolve()),
            )
        )
        print(f"ok  {title}")
        return
    if len(arguments) != 1 or not Path(arguments[0]).is_file():
        print(
            "Usage: python judge.py my_solution.py [--group NUMBER]",
            file=sys.stderr,
        )
        sys.exit(2)
    passed, text = verdict_of(judge, Path(arguments[0]))
    print(text)
    sys.exit(not passed)


def verdict_of(
    judge: Judge, solution: Path, seconds: float = SECONDS
) -> tuple[bool, str]:
    """Whether a solution passes, judged in a process of its own, and what its
    author is told. seconds: of processor time.
    """
    with tempfile.TemporaryDirectory(
        prefix="judge-", ignore_cleanup_errors=True
    ) as folder:
        report = Path(folder, f"{secrets.token_hex(16)}.jsonl")
        report.touch()
        command = [
            sys.executable,
            judge.file,
            "--inside",
            str(solution.resolve()),
            str(report),
        ]
        how, late = limited(command, seconds)
        lines = [
            json.loads(line)
            for line in report.read_text("utf-8").splitlines()
            if line.endswith("}")
        ]
    if lines and "passed" in lines[-1]:
        return lines[-1]["passed"], lines[-1]["text"]
    number = lines[-1]["group"] if lines else -1
    titles = [title for title, _ in judge.groups]
    where = titles[number] if number >= 0 else "it loads"
    passed = titles[: max(0, number)]
    if late:
        lines = [f"ok    {title}" for title in passed]
        lines += [f"?     {where}", "", f"{how}. This is no verdict: try again."]
        return False, "\n".join(lines)
    return False, told(judge, Verdict(False, passed, where, how))


def inside(judge: Judge, solution: Path, report: Path) -> None:
    """Judge in a process that its caller watches, and write into ``report`` how far
    it came, a line of JSON each.

    The last line has ``passed`` and ``text``; without it the solution has ended
    the process, or never ended. A wrong solution's comes twice, the first without
    a known mistake, in case that time runs out while one is looked for.
    """
    torch.set_num_threads(1)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))

    def tell(**what: object) -> None:
        with report.open("a", encoding="utf-8") as file:
            file.write(json.dumps(what) + "\n")

    try:
        source = solution.read_text("utf-8-sig")  # some editors begin with a mark
    except (OSError, UnicodeDecodeError) as error:
        tell(passed=False, text=f"{solution} cannot be read: {error}")
        return

    def judged(verdict: Verdict) -> None:
        tell(passed=verdict.passed, text=told(judge, verdict))

    judged(
        judge.judge(
            source,
            str(solution),
            on_group=lambda number: tell(group=number),
            on_failure=judged,
        )
    )


def told(judge: Judge, verdict: Verdict) -> str:
    """What the author of a judged solution is told."""
    lines = [f"ok    {title}" for title in verdict.groups]
    count = len(judge.groups)
    if verdict.passed:
        lines.append(
            f"Passed: {count} of {count} groups in {verdict.seconds:.1f} s. "
            f"Not checked: {judge.unproven}."
        )
        return "\n".join(lines)
    lines += [f"FAIL  {verdict.failed}", ""]
    if verdict.case:
        lines += [textwrap.indent(verdict.case, "    "), ""]
    lines.append(verdict.text)
    if verdict.why:
        lines += ["", f"A known mistake gives the same: {verdict.why}"]
    if verdict.printed:
        lines += [
            "",
            "It printed:",
            textwrap.indent(verdict.printed.rstrip("\n"), "    "),
        ]
    left = count - len(verdict.groups) - 1
    if left > 0 and verdict.failed in dict(judge.groups):
        lines += ["", f"{left} more of {count} groups were not run."]
    return "\n".join(lines)
