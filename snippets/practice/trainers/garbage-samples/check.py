"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(
    __file__,
    keeps={
        "train": "function",
        "speak": "function",
        "pick": "function",
        "encode": "function",
        "GPT": "class",
        "TEXT": "constant",
        "LAYERS": "constant",
    },
)
SHARES = (0.5, 0.3, 0.15, 0.05)  # from likely to unlikely, far enough apart
MIXED = (2, 0, 3, 1)  # the id of each share: read backwards it is another order
DRAWS = 400


def encoded(script: Script, text: str) -> list[int]:
    return [int(one) for one in script.names.encode(text)]


def untrained(script: Script) -> nn.Module:
    torch.manual_seed(0)
    return script.names.GPT()


def at_once(script: Script, model: nn.Module, ids: list[int]) -> Tensor:
    """The logits (time, chars) of a whole text, in one call as in training."""
    with torch.no_grad():
        return model(torch.tensor([ids]), [[] for _ in range(script.names.LAYERS)])[
            0
        ]


def spoken(
    script: Script, model: nn.Module, prompt: str, chosen: list[int]
) -> tuple[str, Tensor, int]:
    """What it says if the ids after the prompt are these, whatever it would pick.

    Also the logits (chosen, chars) from which it would pick each, and how many ids
    the model got.
    """
    outputs, fed, picked, rest = [], [], [], iter(chosen)

    def look(*inputs: object, **named: object) -> Tensor:
        output = forward(*inputs, **named)
        tensors = [
            one for one in (*inputs, *named.values()) if torch.is_tensor(one)
        ]
        fed.append(tensors[0].numel())
        outputs.append(output[0, -1].detach())
        return output

    def instead(*logits: object, **named: object) -> int:
        picked.append(outputs[-1])
        return next(rest)

    own, script.names.pick = script.names.pick, instead
    forward, model.forward = model.forward, look
    try:
        said = script.names.speak(model, prompt, 0)
    finally:
        script.names.pick = own
        del model.forward
    return said, torch.stack(picked), sum(fed)


def differs(script: Script, model: nn.Module, length: int) -> bool:
    """Whether it predicts otherwise when it speaks, after a prompt of a length."""
    text = script.names.TEXT
    ids = encoded(script, text)
    _, logits, _ = spoken(script, model, text[:length], ids[length:])
    whole = at_once(script, model, ids)[length - 1 : -1]
    return not torch.allclose(logits, whole, atol=1e-4)


def shares(script: Script, logits: list[float], *rest: float) -> list[float]:
    """How often each id is drawn if u goes from 0 to 1 in equal steps."""
    drawn = [0] * len(logits)
    for n in range(DRAWS):
        u = (n + 0.5) / DRAWS
        drawn[int(script.names.pick(torch.tensor(logits), u, *rest))] += 1
    return [one / DRAWS for one in drawn]


def near(found: list[float], wanted: list[float]) -> bool:
    return all(abs(a - b) < 0.01 for a, b in zip(found, wanted))


@check.symptom("After training, it does not say the text.")
def garbage(script: Script) -> bool:
    return any(script.run(seed)["said"] != script.names.TEXT for seed in SEEDS)


@check.symptom("The loss does not come below 0.15.")
def not_learned(script: Script) -> bool:
    return any(not script.run(seed)["losses"][-1] < 0.15 for seed in SEEDS)


@check.symptom("Another last character changes what is predicted before it.")
def sees_future(script: Script) -> bool:
    model, ids = untrained(script), encoded(script, script.names.TEXT)
    other = [*ids[:-1], (ids[-1] + 1) % (max(ids) + 1)]
    a, b = (at_once(script, model, one)[:-1] for one in (ids, other))
    return not torch.allclose(a, b, atol=1e-5)


@check.symptom(
    "If the ids are chosen by hand, it says other characters than those."
)
def misquoted(script: Script) -> bool:
    text, chosen = script.names.TEXT, script.names.TEXT[11::-1]
    chosen += text[: len(text) - 4 - len(chosen)]
    ids = encoded(script, chosen)
    return spoken(script, untrained(script), text[:4], ids)[0] != text[:4] + chosen


@check.symptom("When it speaks, it predicts otherwise than in one call.")
def speaks_otherwise(script: Script) -> bool:
    return any(differs(script, untrained(script), length) for length in (1, 4, 12))


@check.symptom("So it does if no character can attend to another one.")
def alone_otherwise(script: Script) -> bool:
    model = untrained(script)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.startswith("qkv"):
                parameter.zero_()
    return any(differs(script, model, length) for length in (1, 4, 12))


@check.symptom("When it speaks, some character leaves no trace a few places later.")
def forgets(script: Script) -> bool:
    model, text = untrained(script), script.names.TEXT
    ids = encoded(script, text)
    for at in (0, 1, 6):
        other = ids.copy()
        other[at] = (ids[at] + 1) % (max(ids) + 1)
        letter = {i: c for c, i in zip(text, ids)}[other[at]]
        prompt = text[:4] if at > 3 else text[:at] + letter + text[at + 1 : 4]
        _, a, _ = spoken(script, model, text[:4], ids[4:])
        _, b, _ = spoken(script, model, prompt, other[4:])
        later = (a - b).abs().amax(dim=1)[max(at - 3, 0) + 1 :]
        if not later.min() >= 1e-6:
            return True
    return False


@check.symptom("When it speaks, the model gets some characters again and again.")
def again(script: Script) -> bool:
    text = script.names.TEXT
    ids = encoded(script, text)
    return spoken(script, untrained(script), text[:4], ids[4:])[2] > len(text)


@check.symptom("Of ids from likely to unlikely, it draws some too often.")
def other_shares(script: Script) -> bool:
    for temperature in (0.5, 1.0, 2.0):
        powers = [p ** (1 / temperature) for p in SHARES]
        wanted = [one / sum(powers) for one in powers]
        logits = torch.tensor(SHARES).log().tolist()
        if not near(shares(script, logits, temperature, 1.0), wanted):
            return True
    return False


@check.symptom("Of the same ids in another order, it draws some too often.")
def other_order(script: Script) -> bool:
    wanted = [SHARES[MIXED.index(i)] for i in range(4)]
    logits = torch.tensor(wanted).log().tolist()
    return not near(shares(script, logits, 1.0, 1.0), wanted)


@check.symptom("It draws an id that top-p leaves out, or never one that it keeps.")
def other_kept(script: Script) -> bool:
    logits = torch.tensor([SHARES[MIXED.index(i)] for i in range(4)]).log().tolist()
    for top_p, temperature, count in ((0.4, 1.0, 1), (0.9, 1.0, 3), (0.45, 0.5, 1)):
        found = shares(script, logits, temperature, top_p)
        if {i for i, one in enumerate(found) if one} != set(MIXED[:count]):
            return True
    return False


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
