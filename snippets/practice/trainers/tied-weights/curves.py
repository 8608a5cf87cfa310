# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import torch

figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
for axis, name in zip(axes, ("broken", "fixed")):
    train = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))["train"]
    run = train(0)
    axis.plot(range(3, 203, 5), torch.tensor(run["losses"]).view(-1, 5).mean(dim=1))
    axis.plot([200, 220], [run["before"], run["after"]], "o--")
    axis.annotate("before saving", (195, run["before"] - 0.4), ha="right", va="top")
    axis.annotate("after loading", (213, run["after"] + 0.4), ha="right")
    axis.set(title=f"{name}.py", xlabel="step", ylim=(0, 5))
axes[0].set_ylabel("loss")
plt.show()
