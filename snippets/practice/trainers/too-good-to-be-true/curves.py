# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

figure, axes = plt.subplots(
    2, 2, figsize=(8, 5), sharex="row", sharey=True, layout="constrained"
)
for (top, bottom), name in zip(axes.T, ("broken", "fixed")):
    train = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))["train"]
    run = train(0)
    top.plot(run["losses"])
    top.set(title=f"{name}.py", xlabel="step", ylim=(0, 2.4))
    ids = torch.randint(8, (500, 17))
    with torch.no_grad():
        logits = run["model"](ids[:, :-1]).mT
        losses = F.cross_entropy(logits, ids[:, 1:], reduction="none").mean(dim=0)
    bottom.bar(range(16), losses.tolist())
    bottom.set(xlabel="position")
    for axis in (top, bottom):
        axis.axhline(math.log(8), color="gray", linestyle=":")
axes[0, 0].set_ylabel("loss")
axes[1, 0].set_ylabel("loss after training")
axes[0, 0].text(150, math.log(8) + 0.06, "ln 8", ha="right")
plt.show()
