import tempfile
import zipfile
from pathlib import Path

import torch

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "model.pt")
    weight = torch.full((4,), 2.0)
    torch.save({"weight": weight}, path)
    content = bytearray(path.read_bytes())
    content[content.index(weight.numpy().tobytes()) + 3] ^= 1  # one bit
    path.write_bytes(content)
    print("torch.load():", torch.load(path)["weight"])
    print("ZipFile.testzip():", zipfile.ZipFile(path).testzip())
