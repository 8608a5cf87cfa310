import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch


def save_atomically(state: dict[str, Any], path: Path) -> None:
    """Write a checkpoint; a failure leaves the old file or the new one whole.

    Call it in one process: all calls write the same temporary file.
    """
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def load(path: Path) -> str:
    """What loading gives: the step, or the telling part of the error."""
    try:
        return f"step {torch.load(path)['step']}"
    except Exception as error:
        text = str(error)
        telling = text[max(text.find("Unsupported global"), 0) :]
        telling = telling.split(". ")[0].split(" was not ")[0]
        return f"{type(error).__name__}: {telling}"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.pt")
        for name, save in (
            ("torch.save", torch.save),
            ("save_atomically", save_atomically),
        ):
            save({"step": 1}, path)
            try:
                save({"step": 2, "log": lambda: None}, path)
            except Exception as error:
                failed = type(error).__name__
                print(f"{name}: saving step 2 fails with {failed}, loading gives")
            print(f"    {load(path)}")

        print("best_loss is a NumPy number: saving works, loading gives")
        save_atomically({"step": 3, "best_loss": np.float64(0.25)}, path)
        print(f"    {load(path)}")
