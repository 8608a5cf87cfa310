import tempfile
from pathlib import Path

import torch

with tempfile.TemporaryDirectory() as folder:
    first, other = Path(folder, "model.pt"), Path(folder, "best.pt")
    moved = Path(folder, "run 2", "model.pt")
    moved.parent.mkdir()
    for path in (first, other, moved):
        torch.save({"weight": torch.ones(10)}, path)
    print("bytes of model.pt and best.pt equal:      ", end=" ")
    print(first.read_bytes() == other.read_bytes())
    print("bytes of model.pt and run 2/model.pt equal:", end=" ")
    print(first.read_bytes() == moved.read_bytes())
    print("archive's own name in best.pt:", b"best/data.pkl" in other.read_bytes())
