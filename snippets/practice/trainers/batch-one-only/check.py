"""Check your repaired copy of broken.py: python check.py my_fixed.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import SEEDS, Check, Script, main

check = Check(__file__, keeps={"train": "function", "Classifier": "class"})


@check.symptom("With batches of four, training ends in an error.")
def error_with_four(script: Script) -> bool:
    return not all("accuracy" in script.run(seed, 4) for seed in SEEDS)


@check.symptom(
    "With batches of one or ten, less than 0.95 of the answers are right."
)
def coin_toss(script: Script) -> bool:
    runs = [script.run(seed, batch) for batch in (1, 10) for seed in SEEDS]
    return any(not run["accuracy"] >= 0.95 for run in runs)


@check.symptom("An answer has a gradient to another sequence of its batch.")
def gradient_to_others(script: Script) -> bool:
    torch.manual_seed(0)
    model = script.names.Classifier()
    tokens = torch.randint(7, 12, (10, 10))
    tokens[0] = torch.randint(1, 7, (10,))
    model(tokens)[0].sum().backward()
    (table,) = [one for one in model.modules() if isinstance(one, nn.Embedding)]
    return bool(table.weight.grad[7:].any())


def recurrent(model: nn.Module, batches: list[torch.Tensor]) -> torch.Tensor:
    """What reaches the recurrent layer: a row for each sequence and position."""
    seen = []

    def look(module: nn.Module, inputs: tuple) -> None:
        if isinstance(module, nn.RNNBase):
            seen.append(inputs[0].data.reshape(-1, inputs[0].data.shape[-1]))

    handle = nn.modules.module.register_module_forward_pre_hook(look)
    try:
        for tokens in batches:
            model(tokens)
    finally:
        handle.remove()
    return torch.cat(seen)


@check.symptom("In company, other numbers reach the recurrent layer than alone.")
def other_numbers(script: Script) -> bool:
    torch.manual_seed(0)
    model = script.names.Classifier()
    tokens = torch.randint(1, 12, (10, 10))
    tokens[torch.arange(10) >= torch.arange(10).unsqueeze(1).clamp(min=4)] = 0
    alone, together = recurrent(model, tokens.split(1)), recurrent(model, [tokens])
    # In whatever order: each feature's numbers, sorted.
    return not torch.allclose(
        alone.sort(dim=0)[0], together.sort(dim=0)[0], atol=1e-5
    )


@check.symptom("A token behind the end changes what is computed for those before.")
def end_is_read(script: Script) -> bool:
    torch.manual_seed(0)
    model = script.names.Classifier()
    (table,) = [one for one in model.modules() if isinstance(one, nn.Embedding)]
    tokens = torch.tensor([[3, 1, 4, 5, 9, 6, 0, 0, 0, 0]])
    before = recurrent(model, [tokens])[:6]
    with torch.no_grad():
        table.weight[0] += 3.0
    return not torch.allclose(before, recurrent(model, [tokens])[:6], atol=1e-4)


def symptoms(path: str | Path) -> dict[str, bool]:
    """For each symptom whether the script at ``path`` still has it."""
    return check.symptoms(path)


if __name__ == "__main__":
    main(check)
