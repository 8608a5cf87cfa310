# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import torch

figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
for axis, name in zip(axes, ("broken", "fixed")):
    train = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))["train"]
    losses = torch.tensor(train(0)["losses"]).view(-1, 5).mean(dim=1)
    axis.plot(range(3, 303, 5), losses)
    axis.axhline(math.log(8), color="gray", linestyle=":")
    axis.set(title=f"{name}.py", xlabel="step", ylim=(0, 2.5))
axes[0].set_ylabel("training loss, mean of five steps")
axes[0].text(300, math.log(8) + 0.06, "ln 8 = 2.0794", ha="right")
plt.show()
