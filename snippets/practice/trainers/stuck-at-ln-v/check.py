"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(
    __file__,
    keeps={"train": "function", "evaluate": "function", "CLASSES": "constant"},
)


@check.symptom("The loss of the last steps is near 2.0794.")
def near_chance(script: Script) -> bool:
    losses = [script.run(seed)["losses"] for seed in SEEDS]
    return any(sum(each[-20:]) / 20 > 2.0 for each in losses)


@check.symptom(
    "The training loss does not come below 0.1, or accuracy not above 0.97."
)
def not_learned(script: Script) -> bool:
    runs = [script.run(seed) for seed in SEEDS]
    return any(
        sum(run["losses"][-20:]) / 20 > 0.1 or run["accuracy"] < 0.97
        for run in runs
    )


@check.symptom("A right answer of which the model is sure costs more than 0.01.")
def sure_and_right(script: Script) -> bool:
    model = copy.deepcopy(script.run(SEEDS[0])["model"])
    with torch.no_grad():
        model.head.weight.zero_()
        model.head.bias.zero_()
        model.head.bias[3] = 50.0
    x, y = torch.zeros(5, 16), torch.full((5,), 3)
    return script.names.evaluate(model, x, y)[0] > 0.01


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
