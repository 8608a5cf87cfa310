# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt

train = runpy.run_path(str(Path(__file__).with_name("broken.py")))["train"]
run = train(0)
epochs = range(1, len(run["curve"]) + 1)
figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
axes[0].plot(epochs, [one.item() for one in run["curve"]])
axes[0].set(title="validation error", xlabel="epoch", ylim=(0, 1.2))
axes[1].plot(epochs, run["megabytes"], marker="o")
axes[1].set(title="MB in tensors, above the start", xlabel="epoch", ylim=0)
plt.show()
