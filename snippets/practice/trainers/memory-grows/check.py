"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import contextlib
import gc
import sys
from pathlib import Path
from unittest import mock

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(
    __file__,
    keeps={
        "train": "function",
        "validate": "function",
        "Monitor": "class",
        "EPOCHS": "constant",
    },
)
grown: dict[tuple[Script, int, int], float] = {}


def megabytes() -> float:
    """What all tensors that exist take, each storage counted once, in 1e6 bytes."""
    found = {}
    for one in gc.get_objects():
        if issubclass(type(one), torch.Tensor):
            storage = one.untyped_storage()
            found[storage.data_ptr()] = storage.nbytes()
    return sum(found.values()) / 1e6


@contextlib.contextmanager
def fresh():
    """Inside, what existed before is not looked at, which saves time."""
    frozen = gc.get_freeze_count()
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        if not frozen:
            gc.unfreeze()


def growth(script: Script, batches: int, validation: int) -> float:
    """By how much the memory in use grows per epoch, measured before validation."""
    key = (script, batches, validation)
    if key in grown:
        return grown[key]
    validate, sizes = script.names.validate, []

    def measured(*arguments, **named):
        sizes.append(megabytes())
        return validate(*arguments, **named)

    with fresh(), mock.patch.object(script.names, "validate", measured):
        script.names.train(SEEDS[0], batches=batches, validation=validation)
    if len(sizes) < 3:
        raise ValueError("expected at least three calls of validate")
    grown[key] = (sizes[-1] - sizes[1]) / (len(sizes) - 2)
    return grown[key]


@check.symptom("Each epoch leaves more memory in use than the one before.")
def grows(script: Script) -> bool:
    return not growth(script, 2, 2) <= 0.05


@check.symptom("With more batches of training, an epoch leaves more memory in use.")
def grows_with_training(script: Script) -> bool:
    return not growth(script, 4, 2) <= growth(script, 2, 2) + 0.05


@check.symptom("With more batches of validation, an epoch leaves more in use.")
def grows_with_validation(script: Script) -> bool:
    return not growth(script, 2, 4) <= growth(script, 2, 2) + 0.05


@check.symptom("The validation error of the last epoch is not below 0.45.")
def not_learned(script: Script) -> bool:
    with fresh():
        curves = [script.run(seed)["curve"] for seed in SEEDS]
    if len({len(curve) for curve in curves} | {script.names.EPOCHS}) > 1:
        raise ValueError(f"expected {script.names.EPOCHS} validation errors")
    ends = [curve[-1] for curve in curves]
    return any(not torch.as_tensor(end).item() <= 0.45 for end in ends)


@check.symptom("The monitor does not report the means of what each GELU returns.")
def does_not_watch(script: Script) -> bool:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 8), nn.GELU())
    monitor, inputs = script.names.Monitor(model), torch.randn(50, 5, 4)
    for each in inputs:
        model(each)
    means = {name: torch.as_tensor(mean) for name, mean in monitor.means().items()}
    expected = {"1": model[:2](inputs).mean(), "3": model(inputs).mean()}
    return set(means) != set(expected) or any(
        not abs(means[name].item() - expected[name].item()) <= 1e-4
        for name in expected
    )


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
