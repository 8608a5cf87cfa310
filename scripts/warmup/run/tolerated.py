"""Which warnings a snippet may raise. All others are errors, in the runner and under pytest."""

from __future__ import annotations

import builtins
import warnings

# (regular expression that the message begins with, category, why it is tolerated)
TORCH_WARNINGS: list[tuple[str, str, str]] = [
    (
        r"`torch\.jit\.",
        "Warning",  # a DeprecationWarning up to torch 2.14, a FutureWarning from 2.15 on
        "torch itself still calls torch.jit.script, in torch.compile and in forward-mode autograd",
    ),
    (
        r"This process .* is multi-threaded, use of fork\(\) may lead to deadlocks",
        "DeprecationWarning",
        "Python 3.12 warns of every fork once torch has started threads; torch's launchers and loaders fork",
    ),
    (
        r"The given buffer is not writable",
        "UserWarning",
        "torch before 2.13 raises it of its own reading, in torch.export.load",
    ),
    (
        r"Warning. Profiler clears events",  # pytest splits at a colon
        "UserWarning",
        "torch 2.11 and 2.12 raise it of a profile with a single cycle, too",
    ),
    (
        r"`isinstance\(treespec, LeafSpec\)` is deprecated",
        "FutureWarning",
        "torch 2.13's ONNX exporter copies the tree of its arguments, and raises it of its own class",
    ),
]


def make_warnings_errors() -> None:
    """Turn every warning of this process into an error, except TORCH_WARNINGS."""
    warnings.resetwarnings()
    warnings.simplefilter("error")
    for message, category, _ in TORCH_WARNINGS:
        warnings.filterwarnings("ignore", message=message, category=getattr(builtins, category))
