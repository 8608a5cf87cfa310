import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
pixels = torch.randint(256, (512, 64)).float()
y = torch.randint(10, (512,))
net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
print(f"log 10 = {math.log(10):.1f}")
for name, logits in {
    "pixels from 0 to 1": net(pixels / 255),
    "pixels from 0 to 255": net(pixels),
    "labels shuffled": net((pixels / 255)[torch.randperm(512)]),
    "softmax in the model": net(pixels / 255).softmax(dim=1),
}.items():
    print(f"{name:22}{F.cross_entropy(logits, y):5.1f}")
