"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(
    __file__,
    keeps={"train": "function", "collate": "function", "Classifier": "class"},
)


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
    """A new model, and what it says to documents in one batch."""
    torch.manual_seed(0)
    model = script.names.Classifier()
    batch = [(torch.tensor(words, dtype=torch.long), 0) for words in documents]
    return model, model(script.names.collate(batch)[0])


@check.symptom("There are documents to which the answer is nan.")
def nan_answer(script: Script) -> bool:
    documents = [], [7], [7, 7], [1, 2, 3, 4, 5]
    answer = answers(script, *documents)[1]
    return len(answer) < len(documents) or not answer.isfinite().all()


@check.symptom("There are documents with a finite answer whose gradient is nan.")
def nan_gradient(script: Script) -> bool:
    for document in ([], [7], [7, 7], [7, 7, 7], [1, 2, 3, 4, 5]):
        model, answer = answers(script, document, [1, 2, 3, 4, 5])
        if not answer.isfinite().all():
            continue
        answer.square().sum().backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        if not all(grad.isfinite().all() for grad in grads):
            return True
    return False


@check.symptom("The answer to a document depends on how long another one is.")
def padding_counts(script: Script) -> bool:
    short, long = [1, 2, 3], list(range(1, 200)) * 5
    alone, beside = (answers(script, short, other)[1] for other in (short, long))
    return not torch.allclose(alone[0], beside[0], atol=1e-4)


@check.symptom("A gradient is not the slope of the answer that it belongs to.")
def wrong_slope(script: Script) -> bool:
    torch.manual_seed(0)
    model = script.names.Classifier()
    words = script.names.collate(
        [(torch.tensor(each), 0) for each in ([1, 2, 3], [4, 5, 6, 7])]
    )[0]
    model(words).square().sum().backward()
    apart, size = 0.0, 0.0
    for weight in (model.word.weight, *model.mix.parameters()):
        way, ends = torch.randn_like(weight), []
        with torch.no_grad():
            for by in (0.01, -0.02, 0.01):  # up, down, and back
                weight += by * way
                ends.append(model(words).square().sum().item())
        slope = (ends[0] - ends[1]) / 0.02
        apart += (slope - (weight.grad * way).sum().item()) ** 2
        size += slope**2
    return not apart <= 0.01 * size


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
