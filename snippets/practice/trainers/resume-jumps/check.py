"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import sys
from pathlib import Path

from torch.optim.optimizer import register_optimizer_step_post_hook

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(
    __file__,
    keeps={
        "train": "function",
        "Run": "class",
        "STEPS": "constant",
        "SAVED_AT": "constant",
    },
)


def both(script: Script, seed: int, what: str) -> tuple[list[float], list[float]]:
    """The losses or rates after the checkpoint: uninterrupted and resumed."""
    runs, after = script.run(seed), script.names.STEPS - script.names.SAVED_AT
    whole, resumed = (
        list(getattr(runs[name], what)) for name in ("whole", "resumed")
    )
    if len(whole) != script.names.STEPS or len(resumed) < after:
        raise ValueError(
            f"expected {script.names.STEPS} {what}, and {after} resumed"
        )
    return whole[-after:], resumed[-after:]


@check.symptom("The uninterrupted run does not come to a loss below 0.002.")
def not_learned(script: Script) -> bool:
    ends = [both(script, seed, "losses")[0][-10:] for seed in SEEDS]
    return any(not sum(each) / 10 <= 0.002 for each in ends)


@check.symptom("In the first ten steps after resuming, the loss is a third higher.")
def jumps(script: Script) -> bool:
    runs = [both(script, seed, "losses") for seed in SEEDS]
    return any(not sum(b[:10]) <= 4 / 3 * sum(a[:10]) for a, b in runs)


@check.symptom(
    "In the last ten steps, the loss of the resumed run is a third higher."
)
def ends_higher(script: Script) -> bool:
    runs = [both(script, seed, "losses") for seed in SEEDS]
    return any(not sum(b[-10:]) <= 4 / 3 * sum(a[-10:]) for a, b in runs)


@check.symptom("From the second step on, the learning rate is another one.")
def other_rates(script: Script) -> bool:
    runs = [both(script, seed, "rates") for seed in SEEDS]
    return any(
        not abs(x - y) <= 1e-9 for a, b in runs for x, y in zip(a[1:], b[1:])
    )


@check.symptom("The loss of the first step after resuming is another one.")
def first_differs(script: Script) -> bool:
    runs = [both(script, seed, "losses") for seed in SEEDS]
    return any(a[0] != b[0] for a, b in runs)


@check.symptom("The loss of some step after resuming is another one.")
def some_differs(script: Script) -> bool:
    runs = [both(script, seed, "losses") for seed in SEEDS]
    return any(x != y for a, b in runs for x, y in zip(a, b))


@check.symptom("The resumed run does not take just the steps that were left.")
def other_steps(script: Script) -> bool:
    steps = []
    hook = register_optimizer_step_post_hook(lambda *_: steps.append(1))
    try:
        script.names.train(SEEDS[0])
    finally:
        hook.remove()
    return len(steps) != 2 * script.names.STEPS - script.names.SAVED_AT


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
