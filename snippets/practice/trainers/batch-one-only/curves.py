# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import torch

figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
lines = {1: "-", 4: ":", 10: "--"}
for axis, name, batches in zip(axes, ("broken", "fixed"), ((1, 10), (1, 4, 10))):
    train = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))["train"]
    for batch in batches:
        losses = torch.tensor(train(0, batch)["losses"]).view(-1, 5).mean(dim=1)
        axis.plot(
            range(3, 63, 5), losses, lines[batch], label=f"batches of {batch}"
        )
    axis.set(title=f"{name}.py", xlabel="step", ylim=(0, 0.9))
    axis.legend(loc="center right")
axes[0].set_ylabel("training loss, mean of five")
plt.show()
