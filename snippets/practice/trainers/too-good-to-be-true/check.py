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
    keeps={
        "train": "function",
        "Model": "class",
        "VOCAB": "constant",
        "LENGTH": "constant",
    },
)


def last(script: Script, seed: int) -> float:
    """The mean loss of the last twenty steps."""
    return sum(script.run(seed)["losses"][-20:]) / 20


def moved(script: Script, at: int) -> torch.Tensor:
    """By how much another token at a place changes the logits at each place."""
    torch.manual_seed(0)
    model, vocab = script.names.Model(), script.names.VOCAB
    ids = torch.randint(vocab, (4, script.names.LENGTH))
    other = ids.clone()
    other[:, at] = (other[:, at] + 1) % vocab
    with torch.no_grad():
        return (model(ids) - model(other)).abs().amax(dim=(0, 2))


@check.symptom("The loss of the last steps is below the entropy of the tokens.")
def too_good(script: Script) -> bool:
    entropy = math.log(script.names.VOCAB)
    return any(not last(script, seed) >= entropy - 0.01 for seed in SEEDS)


@check.symptom("The loss of the last steps is more than 0.03 above the entropy.")
def not_learned(script: Script) -> bool:
    entropy = math.log(script.names.VOCAB)
    return any(not last(script, seed) < entropy + 0.03 for seed in SEEDS)


@check.symptom("Another token changes what is predicted one place before it.")
def one_before(script: Script) -> bool:
    places = range(1, script.names.LENGTH)
    return any(not moved(script, at)[at - 1] <= 1e-5 for at in places)


@check.symptom(
    "Another token changes what is predicted two or more places before it."
)
def far_before(script: Script) -> bool:
    places = range(2, script.names.LENGTH)
    return any(not moved(script, at)[: at - 1].max() <= 1e-5 for at in places)


@check.symptom("Another token does not change what is predicted at later places.")
def forgets(script: Script) -> bool:
    return not moved(script, 0).min() >= 1e-6


@check.symptom("Another sequence changes what is predicted for this one.")
def companions(script: Script) -> bool:
    torch.manual_seed(0)
    model, vocab = script.names.Model(), script.names.VOCAB
    ids = torch.randint(vocab, (4, script.names.LENGTH))
    with torch.no_grad():
        return not torch.allclose(model(ids)[:1], model(ids[:1]), atol=1e-5)


@check.symptom("Larger embeddings give the last layer larger numbers.")
def grows_with_embedding(script: Script) -> bool:
    torch.manual_seed(0)
    model, vocab, seen = script.names.Model(), script.names.VOCAB, []

    def look(module: torch.nn.Module, inputs: tuple) -> None:
        if getattr(module, "out_features", 0) == vocab:
            seen.append(inputs[0].detach().square().mean().item())

    for module in model.modules():
        if isinstance(module, torch.nn.Embedding):
            with torch.no_grad():
                module.weight *= 5
        module.register_forward_pre_hook(look)
    model(torch.randint(vocab, (4, script.names.LENGTH)))
    return not 0.9 < seen[-1] < 1.1


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
