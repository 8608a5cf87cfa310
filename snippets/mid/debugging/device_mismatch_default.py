# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
import numpy as np
import torch
from torch import nn

before = torch.ones(2)
torch.set_default_device("meta")
made = {
    "a tensor made before": before,
    "torch.zeros(2)": torch.zeros(2),
    "nn.Linear(2, 2)": nn.Linear(2, 2).weight,
    "torch.tensor([1.0])": torch.tensor([1.0]),
    "torch.from_numpy(...)": torch.from_numpy(np.ones(2)),
    "torch.ones_like(before)": torch.ones_like(before),
}
for name, tensor in made.items():
    print(f"{name:25}{tensor.device}")
