# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
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
    top.plot(run["distances"])
    top.set(title=f"{name}.py", ylim=(-1, 30))
    losses = torch.tensor(run["losses"]).view(-1, 5, 2).mean(dim=1)
    for rank, style in enumerate(("-", "--")):
        bottom.plot(range(3, 203, 5), losses[:, rank], style, label=f"rank {rank}")
    bottom.set(xlabel="step", ylim=(0, 60))
axes[0, 0].set_ylabel("distance of the two ranks")
axes[1, 0].set_ylabel("loss, mean of five steps")
axes[1, 0].legend()
plt.show()
