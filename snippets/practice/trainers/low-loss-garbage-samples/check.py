"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(
    __file__,
    keeps={
        "train": "function",
        "speak": "function",
        "GPT": "class",
        "TEXT": "constant",
        "CHARS": "constant",
    },
)


def logits(script: Script, ids: torch.Tensor) -> torch.Tensor:
    """Logits of an untrained model for ids (time,): (time, chars)."""
    torch.manual_seed(0)
    with torch.no_grad():
        return script.names.GPT()(ids[None])[0]


def text(script: Script) -> torch.Tensor:
    """The ids of the text without its last character: as long as in training."""
    return torch.tensor(
        [script.names.CHARS.index(c) for c in script.names.TEXT[:-1]]
    )


def changed(ids: torch.Tensor, at: int) -> torch.Tensor:
    ids = ids.clone()
    ids[at] = 1 - ids[at].clamp(max=1)
    return ids


@check.symptom("After training, it does not say the text.")
def garbage(script: Script) -> bool:
    return any(script.run(seed)["said"] != script.names.TEXT for seed in SEEDS)


@check.symptom("The loss does not come below 0.02.")
def not_learned(script: Script) -> bool:
    return any(not script.run(seed)["losses"][-1] < 0.02 for seed in SEEDS)


@check.symptom("With the text as input, its most likely next characters are wrong.")
def wrong_next(script: Script) -> bool:
    ids = text(script)
    for seed in SEEDS:
        with torch.no_grad():
            best = script.run(seed)["model"](ids[None])[0].argmax(dim=-1)
        if (best[:-1] == ids[1:]).float().mean() < 0.9:
            return True
    return False


@check.symptom("Another last character changes what is predicted before it.")
def sees_future(script: Script) -> bool:
    ids = text(script)
    a, b = logits(script, ids), logits(script, changed(ids, -1))
    return not torch.allclose(a[:-1], b[:-1], atol=1e-5)


@check.symptom("Another first character does not change what is predicted later.")
def blind_to_past(script: Script) -> bool:
    ids = text(script)
    a, b = logits(script, ids), logits(script, changed(ids, 0))
    return not (a[1:] - b[1:]).abs().amax(dim=1).min() >= 1e-6


@check.symptom(
    "The first characters alone give other logits than with more behind."
)
def prefix_differs(script: Script) -> bool:
    ids = text(script)
    whole = logits(script, ids)
    return any(
        not torch.allclose(logits(script, ids[:t]), whole[:t], atol=1e-5)
        for t in (1, 5, len(ids) - 1)
    )


class Next(nn.Module):
    """Sure, at each position, of the character after the one that stands there."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return 9.0 * nn.functional.one_hot((ids + 1) % self.count, self.count)


@check.symptom(
    "A model that is sure of the next letter in the alphabet is misquoted."
)
def misquoted(script: Script) -> bool:
    chars, prompt = script.names.CHARS, script.names.TEXT[:4]
    said = script.names.speak(Next(len(chars)), prompt)
    ids = [chars.index(c) for c in said]
    good = all(b == (a + 1) % len(chars) for a, b in zip(ids[3:], ids[4:]))
    return not (said.startswith(prompt) and len(said) > 10 and good)


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
