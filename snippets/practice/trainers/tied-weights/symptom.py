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
run = train(0)
plt.figure(figsize=(6, 3), layout="constrained")
plt.plot(range(3, 203, 5), torch.tensor(run["losses"]).view(-1, 5).mean(dim=1))
plt.plot([200, 220], [run["before"], run["after"]], "o--")
plt.annotate("before saving", (200, run["before"] - 0.3), ha="right", va="top")
plt.annotate("after loading", (213, run["after"]), ha="right", va="center")
plt.axhline(math.log(40), color="gray", linestyle=":")
plt.text(60, math.log(40) + 0.08, "ln 40 = 3.69, a uniform guess")
plt.xlabel("step")
plt.ylabel("loss")
plt.ylim(0, 5)
plt.show()
