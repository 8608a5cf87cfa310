# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math
import runpy
from pathlib import Path

import matplotlib.pyplot as plt

train = runpy.run_path(str(Path(__file__).with_name("broken.py")))["train"]
run = train(0)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
left.plot(run["losses"])
left.axhline(math.log(8), color="gray", linestyle=":")
left.text(300, math.log(8) + 0.06, "ln 8 = 2.0794", ha="right")
left.set(xlabel="step", ylabel="training loss", ylim=(0, 2.5))
right.plot(run["norms"])
right.set(xlabel="step", ylabel="gradient norm before clipping", ylim=(0, 1.5))
plt.show()
