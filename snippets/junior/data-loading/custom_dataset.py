# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy", "pillow"]
# ///
import tempfile
from pathlib import Path

import numpy as np
import torch
from PIL import Image


class Photos(torch.utils.data.Dataset):
    def __init__(self, root, classes, transform=None):
        self.paths, self.transform = sorted(Path(root).glob("*.png")), transform
        self.labels = [classes.index(p.stem.split("_")[0]) for p in self.paths]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        image = np.array(Image.open(self.paths[index]).convert("RGB"))
        x = torch.from_numpy(image).permute(2, 0, 1) / 255
        return self.transform(x) if self.transform else x, self.labels[index]


with tempfile.TemporaryDirectory() as root:
    for name in ("dog_0.png", "cat_1.png", "dog_2.png"):
        Image.new("RGB", (8, 6)).save(Path(root, name))
    for x, y in torch.utils.data.DataLoader(Photos(root, ["cat", "dog"]), 2):
        print(x.dtype, tuple(x.shape), y)
