# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt

train = runpy.run_path(str(Path(__file__).with_name("broken.py")))["train"]
figure, axis = plt.subplots(figsize=(8, 3), layout="constrained")
for seed, style in enumerate(("-", "--", ":")):
    axis.semilogy(train(seed)["losses"], style, label=f"seed {seed}")
axis.set(xlabel="step", ylabel="training loss", ylim=(0.005, 5))
axis.legend()
plt.show()
