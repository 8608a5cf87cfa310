# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt

figure, axes = plt.subplots(
    2, 2, figsize=(8, 5), sharex=True, sharey="row", layout="constrained"
)
for (top, bottom), name in zip(axes.T, ("broken", "fixed")):
    script = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))
    runs = script["train"](0)
    steps = range(script["SAVED_AT"] + 1, script["STEPS"] + 1)
    for run, style in (("whole", "-"), ("resumed", "--")):
        top.plot(steps, runs[run].losses[-len(steps) :], style, label=run)
        bottom.plot(steps, runs[run].rates[-len(steps) :], style)
    top.set(title=f"{name}.py", ylim=(0, 0.02))
    bottom.set(xlabel="step")
axes[0, 0].set_ylabel("loss")
axes[1, 0].set_ylabel("learning rate")
axes[0, 0].legend()
plt.show()
