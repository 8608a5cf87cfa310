"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(__file__, keeps={"train": "function"})


def watched(script: Script) -> list[tuple[bool, bool, torch.Tensor | None]]:
    """Calls while a script trains: with gradients?, in train mode?, the input.

    Of a batch norm the input is None, of the convolution it is what it gets.
    """
    if not hasattr(script, "watched"):
        script.watched = []

        def look(module: nn.Module, inputs: tuple) -> None:
            learning = torch.is_grad_enabled()
            if isinstance(module, nn.modules.batchnorm._BatchNorm):
                script.watched.append((learning, module.training, None))
            if isinstance(module, nn.Conv2d):
                script.watched.append(
                    (learning, module.training, inputs[0].detach().clone())
                )

        handle = nn.modules.module.register_module_forward_pre_hook(look)
        try:
            script.names.train(SEEDS[0])
        finally:
            handle.remove()
    return script.watched


@check.symptom("The validation accuracy of the last epoch is below 0.95.")
def few_are_right(script: Script) -> bool:
    return any(script.run(seed)["epochs"][-1][3] < 0.95 for seed in SEEDS)


@check.symptom("The validation loss is far above the training loss.")
def gap(script: Script) -> bool:
    ends = [script.run(seed)["epochs"][-1] for seed in SEEDS]
    return any(end[2] > 0.2 or end[0] > 0.2 for end in ends)


@check.symptom(
    "In validation, an answer depends on its batch, or in training it does not."
)
def companions(script: Script) -> bool:
    modes = [
        (learning, training)
        for learning, training, inputs in watched(script)
        if inputs is None
    ]
    return not modes or any(learning != training for learning, training in modes)


@check.symptom(
    "Brightness or contrast at the network's input differ in validation."
)
def other_inputs(script: Script) -> bool:
    trained, validated = (
        torch.cat(
            [
                inputs.flatten()
                for learning, _, inputs in watched(script)
                if inputs is not None and learning is one
            ]
        )
        for one in (True, False)
    )
    moved = (trained.mean() - validated.mean()).abs() / trained.std()
    return bool(moved > 0.1) or not 0.9 < trained.std() / validated.std() < 1.1


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
