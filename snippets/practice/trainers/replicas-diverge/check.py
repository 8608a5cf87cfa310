"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(__file__, keeps={"train": "function", "Replica": "class"})


@check.symptom("Before the first step, the ranks have different parameters.")
def apart_at_first(script: Script) -> bool:
    return any(script.run(seed)["distances"][0] != 0 for seed in SEEDS)


@check.symptom("The distance of the ranks changes from step to step.")
def drifts(script: Script) -> bool:
    distances = [script.run(seed)["distances"] for seed in SEEDS]
    return any(
        len(each) < 100 or max(each) - min(each) > 1e-2 for each in distances
    )


@check.symptom("With equal parameters, both ranks have the same loss.")
def same_loss(script: Script) -> bool:
    for seed in SEEDS:
        ranks = [script.names.Replica(seed, rank) for rank in range(2)]
        ranks[1].model.load_state_dict(ranks[0].model.state_dict())
        if ranks[0].backward() == ranks[1].backward():
            return True
    return False


@check.symptom("The test errors of the ranks differ.")
def unequal(script: Script) -> bool:
    errors = [script.run(seed)["errors"] for seed in SEEDS]
    return any(abs(a - b) > 1e-3 * a for a, b in errors)


@check.symptom("The test errors are above 0.95 on the average of three seeds.")
def not_learned(script: Script) -> bool:
    errors = [error for seed in SEEDS for error in script.run(seed)["errors"]]
    return not sum(errors) / len(errors) < 0.95


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
