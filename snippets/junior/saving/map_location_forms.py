import os
import tempfile
import textwrap
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import torch

MapLocation = str | torch.device | dict[str, str] | Callable | None


def saved_on(path: Path) -> dict[str, int]:
    """Count the storages of a checkpoint by the device that they were saved from.

    Needs none of these devices, and does not read the data into memory.

    Raises:
        RuntimeError: the file is not in the zip format of PyTorch 1.6 and later.
        pickle.UnpicklingError: it holds more than tensors and plain values.
    """
    tags: Counter[str] = Counter()

    def note(storage: torch.UntypedStorage, tag: str) -> torch.UntypedStorage:
        tags[tag] += 1
        return storage

    torch.load(path, map_location=note, mmap=True)
    return dict(tags)


def load(path: Path, map_location: MapLocation) -> str:
    """The devices that a file's tensors land on, or the error."""
    try:
        return ", ".join(
            f"{name} on {tensor.device}"
            for name, tensor in torch.load(path, map_location).items()
        )
    except RuntimeError as error:
        return f"RuntimeError: {error}"


if __name__ == "__main__":
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the laptop
    state = {"body": torch.ones(2), "head": torch.ones(3), "step": torch.tensor(7)}
    gpus = {state["body"].data_ptr(): "cuda:0", state["head"].data_ptr(): "cuda:1"}
    # Tags these storages as two GPUs would. Loading is left as it is.
    torch.serialization.register_package(
        0, lambda storage: gpus.get(storage.data_ptr()), lambda storage, tag: None
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.pt")
        torch.save(state, path)
        print(f"saved on: {saved_on(path)}")
        for name, map_location in {
            "None": None,
            '"cpu"': "cpu",
            '{"cuda:0": "cpu"}': {"cuda:0": "cpu"},
            "lambda storage, tag: storage": lambda storage, tag: storage,
            "lambda storage, tag: None": lambda storage, tag: None,
            '"meta"': "meta",
        }.items():
            result = textwrap.shorten(
                load(path, map_location), 52, placeholder=" ..."
            )
            print(f"{name:29} {result}")
