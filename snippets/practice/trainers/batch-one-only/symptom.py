# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import torch

train = runpy.run_path(str(Path(__file__).with_name("broken.py")))["train"]
plt.figure(figsize=(6, 3), layout="constrained")
for batch, line in ((1, "-"), (10, "--")):
    losses = torch.tensor(train(0, batch)["losses"]).view(-1, 5).mean(dim=1)
    plt.plot(range(3, 63, 5), losses, line, label=f"batches of {batch}")
plt.axhline(math.log(2), color="gray", linestyle=":")
plt.text(32, math.log(2) - 0.06, "ln 2 = 0.6931")
plt.xlabel("step")
plt.ylabel("training loss, mean of five")
plt.ylim(0, 0.9)
plt.legend(loc="center right")
plt.show()
