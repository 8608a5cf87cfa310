# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math
import runpy
from pathlib import Path

import matplotlib.pyplot as plt

train = runpy.run_path(str(Path(__file__).with_name("broken.py")))["train"]
figure, axis = plt.subplots(figsize=(8, 3), layout="constrained")
for rate, style in ((1e-2, "-"), (1e-3, "--")):
    axis.plot(train(0, rate)["losses"], style, label=f"learning rate {rate:g}")
axis.axhline(math.log(8), color="gray", linestyle=":")
axis.text(150, math.log(8) + 0.06, "entropy of the tokens, ln 8", ha="right")
axis.set(xlabel="step", ylabel="loss", ylim=(0, 2.4))
axis.legend(loc="center right")
plt.show()
