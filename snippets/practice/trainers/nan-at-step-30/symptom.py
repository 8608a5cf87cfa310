# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt

train = runpy.run_path(str(Path(__file__).with_name("broken.py")))["train"]
run, steps = train(0), range(1, 101)
figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for axis, key, name in zip(axes, ("losses", "norms"), ("loss", "gradient norm")):
    axis.plot(steps, run[key])
    axis.axvspan(30, 100, color="gray", alpha=0.2)
    axis.text(65, 0.2 * max(run[key][:29]), "nan", ha="center")
    axis.set(xlabel="step", ylabel=name, xlim=(0, 100), ylim=(0, None))
plt.show()
