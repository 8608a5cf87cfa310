import io
import pickle
import re
from typing import Any

import torch
from torch import nn


class RunsCode:
    """What a file can hold besides weights: a call, made while it is loaded."""

    def __reduce__(self) -> tuple[Any, ...]:
        return print, ("    code from the file is running",)


def load(what: Any, weights_only: bool | None = None) -> str:
    """Save and load ``what``: the type that came back, or what the error says."""
    file = io.BytesIO()
    torch.save(what, file)
    file.seek(0)
    try:
        return type(torch.load(file, weights_only=weights_only)).__name__
    except pickle.UnpicklingError as error:
        first = str(error).split(". ")[0]
        telling = re.search(r"Unsupported global: GLOBAL \S+", str(error))
        return f"UnpicklingError: {first}\n    ... {telling[0]}"


if __name__ == "__main__":
    model = nn.Linear(4, 2)
    print(f"load(model.state_dict()):\n    {load(model.state_dict())}")
    print(f"load(model):\n    {load(model)}")
    print(
        f"load(model, weights_only=False):\n    {load(model, weights_only=False)}"
    )
    print(f"load(RunsCode()):\n    {load(RunsCode())}")
    print("load(RunsCode(), weights_only=False):")
    load(RunsCode(), weights_only=False)
