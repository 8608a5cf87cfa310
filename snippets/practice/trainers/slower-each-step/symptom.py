# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
#
# [tool.warmup]
# output = "recorded"
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import torch

broken = runpy.run_path(str(Path(__file__).with_name("broken.py")))
figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for seed, style in enumerate(("-", "--", ":")):
    run = broken["train"](seed)
    for axis, what in zip(axes, ("losses", "milliseconds")):
        means = torch.tensor(run[what]).view(-1, 3).mean(dim=1)
        axis.plot(range(2, 62, 3), means, style, label=f"seed {seed}")
axes[0].set(title="loss", xlabel="step", ylim=(0, 1))
axes[1].set(title="CPU time of a step in ms", xlabel="step", ylim=0)
axes[1].legend()
plt.show()
