# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
import tempfile
from pathlib import Path

import numpy as np
import torch


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
        torch.save({"step": 1}, path)
        try:
            torch.save({"step": 2, "log": lambda: None}, path)
        except Exception as error:
            failed = type(error).__name__
            print(f"saving step 2 fails with {failed}, loading gives")
        print(f"    {load(path)}")

        print("best_loss is a NumPy number: saving works, loading gives")
        torch.save({"step": 3, "best_loss": np.float64(0.25)}, path)
        print(f"    {load(path)}")
