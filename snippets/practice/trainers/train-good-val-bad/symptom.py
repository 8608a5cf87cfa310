# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt

train = runpy.run_path(str(Path(__file__).with_name("broken.py")))["train"]
columns, epochs = list(zip(*train(0)["epochs"])), range(1, 7)
figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for number, (axis, what) in enumerate(zip(axes, ("loss", "accuracy"))):
    axis.plot(epochs, columns[number], "-", marker="o", label="training")
    axis.plot(epochs, columns[number + 2], "--", marker="s", label="validation")
    axis.set(xlabel="epoch", ylabel=what, ylim=(0, None))
axes[1].legend(loc="center right")
plt.show()
