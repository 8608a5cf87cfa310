"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(__file__, keeps={"train": "function", "Classifier": "class"})


@check.symptom("From some step on, the loss or the gradient norm is nan.")
def nan_for_ever(script: Script) -> bool:
    runs = [script.run(seed) for seed in SEEDS]
    numbers = [number for run in runs for number in run["losses"] + run["norms"]]
    return not all(map(math.isfinite, numbers))


@check.symptom("The mean loss of the last 20 steps is not below 0.9.")
def not_learned(script: Script) -> bool:
    runs = [script.run(seed)["losses"] for seed in SEEDS]
    return any(len(run) < 90 or not sum(run[-20:]) / 20 < 0.9 for run in runs)


def answers(
    script: Script, *documents: list[int]
) -> tuple[torch.nn.Module, torch.Tensor]:
    """A new model, and what it says to documents, padded to five words."""
    torch.manual_seed(0)
    model = script.names.Classifier()
    padded = torch.tensor(
        [document + [0] * (5 - len(document)) for document in documents]
    )
    return model, model(padded)


@check.symptom("There are documents to which the answer is nan.")
def nan_answer(script: Script) -> bool:
    documents = [], [7], [7, 7], [1, 2, 3, 4, 5]
    return not answers(script, *documents)[1].isfinite().all()


@check.symptom("There are documents with a finite answer whose gradient is nan.")
def nan_gradient(script: Script) -> bool:
    for document in ([], [7], [7, 7], [7, 7, 7], [1, 2, 3, 4, 5]):
        model, answer = answers(script, document)
        if not answer.isfinite().all():
            continue
        answer.square().sum().backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        if not all(grad.isfinite().all() for grad in grads):
            return True
    return False


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
