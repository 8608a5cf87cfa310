# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "recorded"
# ///
import time
import warnings

import torch
from torch import nn

warnings.filterwarnings("ignore", message="Anomaly Detection")
torch.set_num_threads(1)
model = nn.Sequential(*(nn.Linear(64, 64) for _ in range(20)))
x = torch.randn(64, 64)
seconds = {False: [], True: []}
for _ in range(6):
    for anomaly in seconds:
        start = time.perf_counter()
        with torch.autograd.set_detect_anomaly(anomaly):
            for _ in range(10):
                model(x).sum().backward()
        seconds[anomaly].append(time.perf_counter() - start)
ratio = min(seconds[True]) / min(seconds[False])
print(f"anomaly mode, 20 small layers: {ratio:.0f} times the time of a step")
