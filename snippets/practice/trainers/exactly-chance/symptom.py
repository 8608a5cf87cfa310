# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math
import runpy
from pathlib import Path

import matplotlib.pyplot as plt

train = runpy.run_path(str(Path(__file__).with_name("broken.py")))["train"]
run, epochs = train(0), range(1, 9)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
left.plot(epochs, run["losses"], marker="o")
left.axhline(math.log(10), color="gray", linestyle=":")
left.text(8, math.log(10) - 0.35, "ln 10 = 2.3026", ha="right")
left.set(xlabel="epoch", ylabel="training loss", ylim=(0, 2.5))
right.plot(epochs, run["accuracies"], marker="o")
right.set(xlabel="epoch", ylabel="test accuracy", ylim=(0, 1))
plt.show()
