"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import nn
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(
    __file__,
    keeps={"train": "function", "RATE": "constant", "MAX_NORM": "constant"},
)


@check.symptom("Before the first step, the ranks have different parameters.")
def apart_at_first(script: Script) -> bool:
    return any(script.run(seed)["distances"][0] != 0 for seed in SEEDS)


@check.symptom("The distance of the ranks changes from step to step.")
def drifts(script: Script) -> bool:
    distances = [torch.tensor(script.run(seed)["distances"]) for seed in SEEDS]
    return any(
        len(each) < 100 or not each.max() - each.min() <= 1e-2 for each in distances
    )


@check.symptom("With equal parameters, both ranks have the same loss.")
def same_loss(script: Script) -> bool:
    batches = []

    def look(module: nn.Module, inputs: tuple) -> None:
        if torch.is_grad_enabled() and getattr(module, "in_features", 0) == 8:
            batches.append(tuple(inputs[0].sum(dim=-1).tolist()))

    hook = nn.modules.module.register_module_forward_pre_hook(look)
    try:
        script.names.train(SEEDS[0])
    finally:
        hook.remove()
    return len(set(batches)) < len(batches)  # equal inputs, so equal losses


@check.symptom("The first step moves the parameters of a rank by more than 0.05.")
def moves_far(script: Script) -> bool:
    before, moves = {}, []

    def vector(optimizer: torch.optim.Optimizer) -> torch.Tensor:
        parameters = [
            p for group in optimizer.param_groups for p in group["params"]
        ]
        return nn.utils.parameters_to_vector(parameters).detach().clone()

    def begins(optimizer: torch.optim.Optimizer, *_) -> None:
        before.setdefault(optimizer, vector(optimizer))

    def ended(optimizer: torch.optim.Optimizer, *_) -> None:
        if len(moves) < len(before):  # only of the first step
            moves.append((vector(optimizer) - before[optimizer]).norm().item())

    hooks = (
        register_optimizer_step_pre_hook(begins),
        register_optimizer_step_post_hook(ended),
    )
    try:
        script.names.train(SEEDS[0])
    finally:
        for hook in hooks:
            hook.remove()
    longest = torch.tensor(moves).max()
    return not longest <= 1.01 * script.names.RATE * script.names.MAX_NORM


@check.symptom("The test errors of the ranks differ.")
def unequal(script: Script) -> bool:
    errors = [script.run(seed)["errors"] for seed in SEEDS]
    return any(not abs(a - b) <= 1e-3 * a for a, b in errors)


@check.symptom("The test errors are above 1.3 on the average of three seeds.")
def not_learned(script: Script) -> bool:
    errors = [error for seed in SEEDS for error in script.run(seed)["errors"]]
    return not sum(errors) / len(errors) < 1.3


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
