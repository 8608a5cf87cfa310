import io
import runpy
from pathlib import Path

import torch
from torch import nn

fixed = runpy.run_path(str(Path(__file__).with_name("fixed.py")))
STEPS, SAVED_AT = fixed["STEPS"], fixed["SAVED_AT"]


class Dropped(fixed["Run"]):
    """The run with dropout, whose masks come from torch's global generator."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.model.insert(2, nn.Dropout(0.1))
        self.optimizer.param_groups[0]["params"] = list(self.model.parameters())


class WithGlobalState(Dropped):
    """It saves and restores that generator as well."""

    def save(self, file: io.BytesIO) -> None:
        super().save(own := io.BytesIO())
        own.seek(0)
        state = torch.load(own, weights_only=True)
        torch.save(state | {"global": torch.get_rng_state()}, file)

    def load(self, file: io.BytesIO) -> None:
        super().load(file)
        file.seek(0)
        torch.set_rng_state(torch.load(file, weights_only=True)["global"])


def first_difference(kind: type[Dropped]) -> int | None:
    """The first step after resuming whose loss is not that of the whole run."""
    whole, file = kind(0), io.BytesIO()
    whole.train(until=SAVED_AT)
    whole.save(file)
    whole.train(until=STEPS)
    file.seek(0)
    resumed = kind(0)
    resumed.load(file)
    resumed.train(until=STEPS)
    pairs = zip(whole.losses[SAVED_AT:], resumed.losses, strict=True)
    return next((SAVED_AT + n for n, (a, b) in enumerate(pairs, 1) if a != b), None)


if __name__ == "__main__":
    for kind in (Dropped, WithGlobalState):
        print(
            f"{kind.__name__:16} first step that differs: {first_difference(kind)}"
        )
