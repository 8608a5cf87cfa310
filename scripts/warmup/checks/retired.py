"""Names that PyTorch has retired. No page, snippet or test may use one, except the pages that are about it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from warmup.content import markdown, mistakes
from warmup.kinds import exercises
from warmup.kinds.levels import Site
from warmup.project import ROOT, Problem, relative


@dataclass(frozen=True)
class Retired:
    """A retired name, what replaces it, and the questions (``level/topic/slug``) that may name it."""

    pattern: str
    instead: str
    pages: tuple[str, ...] = ()


RETIRED = (
    Retired(
        r"torch\.cuda\.amp\.",
        "torch.amp, with the device's type as its first argument",
        ("senior/mixed-precision/grad-scaler",),
    ),
    Retired(r"torch\.cpu\.amp\.", "torch.amp, with the device's type as its first argument"),
    Retired(
        r"torch\.jit\.(script|trace|load|save|freeze|optimize_for_inference)\b",
        "torch.compile or torch.export",
        ("senior/system-design/low-latency-serving", "mid/autograd/dynamic-graphs", "senior/inference/script-vs-trace"),
    ),
    Retired(
        r"torch\.(ao\.)?quantization\b",
        "torchao",
        ("senior/system-design/low-latency-serving", "senior/inference/quantization"),
    ),
    Retired(
        r"\bTorchServe\b",
        "a maintained server; its repository is archived",
        ("senior/system-design/low-latency-serving",),
    ),
    Retired(r"\bfunctorch\b", "torch.func"),
    Retired(r"torch\.nn\.utils\.stateless\b", "torch.func.functional_call"),
    Retired(r"torch\.backends\.cuda\.sdp_kernel\b", "torch.nn.attention.sdpa_kernel"),
    Retired(r"\bset_default_tensor_type\b", "torch.set_default_dtype and torch.set_default_device"),
    Retired(r"\bclip_grad_norm\(", "torch.nn.utils.clip_grad_norm_"),
    Retired(r"torch\.(symeig|eig|lstsq|qr|cholesky|lu|range|chain_matmul)\(", "torch.linalg, or torch.arange"),
    Retired(r"\bcache_size_limit\b", "torch._dynamo.config.recompile_limit"),
    Retired(r"torch\.distributed\.launch\b", "torchrun"),
    Retired(r"torch\.utils\.bottleneck\b", "torch.profiler"),
    Retired(r"\btorchtext\b", "plain PyTorch, or the tokenizers of your model's library"),
    Retired(r"pretrained=True", "weights="),
    Retired(r"\bimpl_abstract\b", "torch.library.register_fake"),
    Retired(r"\bFullyShardedDataParallel\b", "torch.distributed.fsdp.fully_shard"),
)


def find(root: Path = ROOT, only: Container[Path] | None = None) -> Iterator[Problem]:
    """Every use of a retired name in pages and snippets, or in ``only`` some, outside the pages that may name it."""
    paths = [
        *(root / "docs").rglob("*.md"),
        *(root / "docs").rglob("*.ipynb"),
        *(root / "snippets").rglob("*.py"),
        *(root / "snippets").rglob(mistakes.FILE),
        *root.glob("*.md"),
    ]
    about = {page: _files(root, page) for name in RETIRED for page in name.pages}
    for path in sorted(path for path in paths if only is None or path in only):
        text = _text(path)
        for name in RETIRED:
            if any(path in about[page] for page in name.pages):
                continue
            for match in re.finditer(name.pattern, text):
                if f"def {match[0]}" in _starter(root, path):
                    continue  # an exercise may ask for a function of this name
                line = text.count("\n", 0, match.start()) + 1
                yield Problem(relative(path), line, f"{match[0]!r} is retired.", f"Use {name.instead}.")


def misplaced(site: Site) -> Iterator[Problem]:
    """Pages that may use a retired name and do not exist."""
    for name in RETIRED:
        for page in name.pages:
            if page not in site.by_id:
                where = "scripts/warmup/checks/retired.py"
                yield Problem(where, 0, f"{page!r} may say {name.pattern!r}, and is not a question.", "Take it out.")


def _files(root: Path, page: str) -> set[Path]:
    """The page (``level/topic/slug``) and the snippets that it shows; nothing if there is no such page."""
    path = root / "docs" / f"{page}.md"
    lines = markdown.lines(_text(path)) if path.is_file() else []
    return {path, *(root / "snippets" / include["path"] for line in lines if (include := line.include))}


def _starter(root: Path, path: Path) -> str:
    """What an exercise begins with, of a file in its folder; "" for other files."""
    folder = root / "snippets" / exercises.FOLDER
    if not path.is_relative_to(folder):
        return ""
    starter = folder / path.relative_to(folder).parts[0] / "starter.py"
    return _text(starter) if starter.is_file() else ""


def _text(path: Path) -> str:
    """What a file holds; that it is not text in UTF-8 is reported elsewhere."""
    return path.read_text(encoding="utf-8", errors="replace")
