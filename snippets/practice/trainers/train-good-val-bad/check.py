"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(__file__, keeps={"train": "function"})


def watched(script: Script) -> list[tuple[bool, bool | None, torch.Tensor | None]]:
    """Calls while a script trains: before an optimizer's step?, what was called.

    Of a batch norm it is whether it takes the statistics of the batch, of the
    convolution its input.
    """
    if not hasattr(script, "watched"):
        script.watched, waiting = [], []

        def look(module: nn.Module, inputs: tuple) -> None:
            if isinstance(module, nn.modules.batchnorm._BatchNorm):
                batch = module.training or module.running_mean is None
                waiting.append((module, batch, None))
            if isinstance(module, nn.Conv2d):
                waiting.append((module, None, inputs[0].detach().clone()))

        def stepped(optimizer: torch.optim.Optimizer, *_) -> None:
            moved = {p for group in optimizer.param_groups for p in group["params"]}
            last = {
                module: at
                for at, (module, *_) in enumerate(waiting)
                if moved & set(module.parameters())
            }
            for at, (_, *seen) in enumerate(waiting):
                script.watched.append((at in last.values(), *seen))
            waiting.clear()

        handles = (
            nn.modules.module.register_module_forward_pre_hook(look),
            register_optimizer_step_post_hook(stepped),
        )
        try:
            script.names.train(SEEDS[0])
        finally:
            for handle in handles:
                handle.remove()
        script.watched += [(False, *seen) for _, *seen in waiting]
    return script.watched


@check.symptom("The validation accuracy of the last epoch is below 0.95.")
def few_are_right(script: Script) -> bool:
    return any(not script.run(seed)["epochs"][-1][3] >= 0.95 for seed in SEEDS)


@check.symptom("The validation loss is far above the training loss.")
def gap(script: Script) -> bool:
    ends = [script.run(seed)["epochs"][-1] for seed in SEEDS]
    return any(not (end[2] <= 0.2 and end[0] <= 0.2) for end in ends)


@check.symptom(
    "In validation, an answer depends on its batch, or in training it does not."
)
def companions(script: Script) -> bool:
    return any(
        learning != batch
        for learning, batch, inputs in watched(script)
        if inputs is None
    )


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
    return not moved <= 0.1 or not 0.9 < trained.std() / validated.std() < 1.1


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
