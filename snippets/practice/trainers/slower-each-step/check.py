"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

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
        "Network": "class",
        "STEPS": "constant",
        "WIDTH": "constant",
    },
)
seen: dict[tuple[Script, int], dict] = {}


def nodes(*outputs: torch.Tensor) -> int:
    """How many nodes of the graph lie behind some outputs."""
    found = {output.grad_fn for output in outputs if output.grad_fn is not None}
    left = list(found)
    while left:
        for node, _ in left.pop().next_functions:
            if node is not None and node not in found:
                found.add(node)
                left.append(node)
    return len(found)


def watched(script: Script, seed: int) -> dict:
    """What train returns, nodes of each backward, states around each call."""
    if (script, seed) in seen:
        return seen[script, seed]
    counts, calls = [], []

    def counting(function):
        def counted(outputs, *arguments, **named):
            found = [outputs] if isinstance(outputs, torch.Tensor) else outputs
            counts.append(nodes(*found))
            return function(outputs, *arguments, **named)

        return counted

    def keep(module: nn.Module, inputs: tuple, named: dict, output: tuple) -> None:
        if isinstance(module, script.names.Network):
            state = named["state"] if "state" in named else inputs[1]
            calls.append((state.detach().clone(), output[1].detach().clone()))

    hook = nn.modules.module.register_module_forward_hook(keep, with_kwargs=True)
    try:
        with (
            mock.patch(
                "torch.autograd.backward", counting(torch.autograd.backward)
            ),
            mock.patch("torch.autograd.grad", counting(torch.autograd.grad)),
        ):
            run = script.run(seed)
    finally:
        hook.remove()
    steps = script.names.STEPS
    if len(run["losses"]) != steps or len(counts) < steps:
        raise ValueError(f"expected {steps} losses, and as many calls of backward")
    seen[script, seed] = {**run, "nodes": counts, "states": calls}
    return seen[script, seed]


@check.symptom("The last steps take more than twice as long as the first ten.")
def slower(script: Script) -> bool:
    counts = [watched(script, seed)["nodes"] for seed in SEEDS]
    return any(max(each[-10:]) > 2 * max(each[:10]) for each in counts)


@check.symptom("Some steps take half as long again as others, or longer.")
def uneven(script: Script) -> bool:
    counts = [watched(script, seed)["nodes"][5:] for seed in SEEDS]
    return any(max(each) > 1.5 * min(each) for each in counts)


@check.symptom("The mean loss of the last ten steps is not below 0.08.")
def not_learned(script: Script) -> bool:
    runs = [watched(script, seed) for seed in SEEDS]
    return any(not sum(run["losses"][-10:]) / 10 <= 0.08 for run in runs)


@check.symptom("A window does not begin in the state in which another one ended.")
def state_is_lost(script: Script) -> bool:
    for seed in SEEDS:
        calls = watched(script, seed)["states"]
        ended = [torch.zeros(script.names.WIDTH)]
        for before, after in calls:
            if not any(torch.equal(before, one) for one in ended[-3:]):
                return True
            ended.append(after)
        if len(calls) < script.names.STEPS or torch.equal(ended[-1], ended[0]):
            return True
    return False


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
