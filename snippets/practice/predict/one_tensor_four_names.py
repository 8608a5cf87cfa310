import tempfile
from pathlib import Path

import torch

found = set()
with tempfile.TemporaryDirectory() as folder:
    for name in ("a.pt", "b.pt", "c.pt", "c.bin"):
        torch.save(torch.ones(2), Path(folder) / name)
        found.add((Path(folder) / name).read_bytes())
print(len(found))
