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

figure, axes = plt.subplots(
    2, 2, figsize=(8, 5), sharex=True, sharey="row", layout="constrained"
)
for (top, bottom), name in zip(axes.T, ("broken", "fixed")):
    train = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))["train"]
    run = train(0)
    for axis, what in ((top, "milliseconds"), (bottom, "losses")):
        means = torch.tensor(run[what]).view(-1, 3).mean(dim=1)
        axis.plot(range(2, 62, 3), means)
    top.set(title=f"{name}.py", ylim=0)
    bottom.set(xlabel="step", ylim=(0, 1))
axes[0, 0].set_ylabel("CPU time of a step in ms")
axes[1, 0].set_ylabel("loss")
plt.show()
