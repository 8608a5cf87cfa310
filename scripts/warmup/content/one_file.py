"""A judge or a check as one plain file, to be downloaded and run where there is nothing but torch.

In the repository a judge imports what all of them share from a file beside its folder (``judging.py``), which does the
same with what it shares with checks. Here all of this stands in it, with the wrong solutions that people write.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from dataclasses import dataclass
from pathlib import Path

from warmup.content import header, mistakes
from warmup.project import Problem, ProblemError, not_utf8, relative

# How a judge finds what it shares with others, as far as ``shared`` looks for it.
PATH_LINE = "sys.path.insert(0, str(Path(__file__).parents[1]))"
_FROM = re.compile(r"from (?P<module>\S+) import (?P<name>.+)")
_WRONG = re.compile(r"^WRONG: dict\[str, str\] = \{\}$", re.M)


@dataclass(frozen=True)
class _Parts:
    """A module taken apart: its header and docstring as they stand, and the text of all else.

    bound: each name that is bound at its top level, with the import that binds it, or the file that defines it.
    """

    header: str
    docstring: str
    bound: dict[str, str]
    body: str

    def imports(self) -> list[str]:
        return [what for what in self.bound.values() if what.startswith(("import ", "from "))]


def shared(judge: Path) -> Path | None:
    """The file of this project that a judge or check imports by the path line; None if it imports none."""
    try:
        names = _beside(judge.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return None
    return next((file for name in names if (file := judge.parents[1] / f"{name}.py").is_file()), None)


@functools.lru_cache(maxsize=256)
def _beside(code: str) -> tuple[str, ...]:
    """The modules that a program imports by the path line, among others; none where it has no such line."""
    body = ast.parse(code).body
    if not any(_is_path_line(node) for node in body):
        return ()
    return tuple(node.module for node in body if isinstance(node, ast.ImportFrom) and node.module)


def assembled(judge: Path) -> str:
    """The text of a judge or check in which everything stands that it takes from this project.

    Args:
        judge: a ``judge.py`` or ``check.py``; what is known of mistakes stands beside it.

    Raises:
        ProblemError: it is no Python, or it and what it shares bind the same name to different things.
    """
    files = [judge]
    while file := shared(files[-1]):
        files.append(file)
    parts = [_parts(file, beside.stem if beside else "") for file, beside in itertools.zip_longest(files, files[1:])]
    if len(files) == 1:
        return judge.read_text(encoding="utf-8")
    for (one, own), (other, theirs) in itertools.combinations(zip(files, parts, strict=True), 2):
        for name in own.bound.keys() & theirs.bound.keys():
            if own.bound[name] != theirs.bound[name]:
                message = f"It and {other.name} bind {name} to different things, and readers download both as one file."
                raise ProblemError(Problem(relative(one), 0, message, "Give it another name."))
    wrong = mistakes.programs(judge.parent) if any(_WRONG.search(one.body) for one in parts) else {}
    bodies = [_WRONG.sub(lambda _: _dictionary(wrong), one.body).rstrip("\n") + "\n" for one in reversed(parts[1:])]
    imports = _written([line for one in parts for line in one.imports()])
    texts = [parts[0].header, parts[0].docstring, imports, *bodies, parts[0].body]
    return "\n\n".join(text.lstrip("\n") for text in texts if text.strip()) + "\n"


def _parts(path: Path, without: str = "") -> _Parts:
    """A module taken apart, without what it imports from the module ``without``."""
    try:
        return _taken_apart(path.read_text(encoding="utf-8"), path, without)
    except UnicodeDecodeError as error:
        raise ProblemError(not_utf8(path, error)) from error


@functools.lru_cache(maxsize=256)
def _taken_apart(text: str, path: Path, without: str) -> _Parts:
    try:
        tree = ast.parse(text)
        head = header.parse(text, path)
    except (SyntaxError, header.HeaderError) as error:
        line = (error.lineno if isinstance(error, SyntaxError) else error.line) or 0
        raise ProblemError(Problem(relative(path), line, f"It cannot be read: {error}.", "Mend it.")) from error
    rows = text.split("\n")
    bound: dict[str, str] = {}
    docstring, drop = "", set(range(head.start, head.end + 1))
    for number, node in enumerate(tree.body):
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if number == 0 and ast.get_docstring(tree) is not None:
            docstring = "\n".join(rows[node.lineno - 1 : lines.stop - 1])
        elif isinstance(node, ast.Import):
            bound.update((_name(alias), f"import {ast.unparse(alias)}") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module != without:
                bound.update((_name(alias), f"from {node.module} import {ast.unparse(alias)}") for alias in node.names)
            elif renamed := [alias.asname for alias in node.names if alias.asname]:
                message = f"It imports something from {without} as {renamed[0]}."
                raise ProblemError(Problem(relative(path), node.lineno, message, "Import it under its own name."))
        elif not _is_path_line(node):
            bound.update((name, path.name) for name in _defined(node))
            continue
        drop.update(lines)
    body = "\n".join(row for number, row in enumerate(rows, 1) if number not in drop)
    # Where statements were taken out, two empty lines are enough.
    body = re.sub(r"\n{4,}", "\n\n\n", body)
    return _Parts("\n".join(rows[max(0, head.start - 1) : head.end]), docstring, bound, body)


def _name(alias: ast.alias) -> str:
    """What an import binds: ``import a.b`` brings a.b into ``a``, beside what stands there, and is known as that."""
    return alias.asname or alias.name


def _defined(node: ast.stmt) -> set[str]:
    """The names that a statement at the top level binds, other than by an import."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _written(imports: list[str]) -> str:
    """Imports, each once, those from one module in one line, torch's last."""
    plain = sorted({line for line in imports if line.startswith("import ")})
    members: dict[str, set[str]] = {}
    for line in imports:
        if match := _FROM.fullmatch(line):
            members.setdefault(match["module"], set()).add(match["name"])
    plain += [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(members.items())]
    plain.sort(key=lambda line: 0 if "__future__" in line else 2 if re.match(r"\w+ torch\b", line) else 1)
    # An empty line between what is the language's own, the standard library's and torch's.
    return "\n\n".join("\n".join(rows) for _, rows in itertools.groupby(plain, key=_group))


def _group(line: str) -> int:
    return 0 if "__future__" in line else 2 if re.match(r"\w+ torch\b", line) else 1


def _is_path_line(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and ast.unparse(node) == PATH_LINE


def _dictionary(wrong: dict[str, str]) -> str:
    rows = [f"    {name!r}: {_quoted(text)},\n" for name, text in wrong.items()]
    return f"WRONG: dict[str, str] = {{\n{''.join(rows)}}}" if rows else "WRONG: dict[str, str] = {}"


def _quoted(text: str) -> str:
    """A text as Python writes it; so that one can read it, if that is possible."""
    if "'''" in text or "\\" in text or text.endswith("'"):
        return repr(text)
    return f"'''{text}'''"
