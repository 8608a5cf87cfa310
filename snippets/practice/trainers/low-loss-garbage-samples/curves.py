# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
for axis, name in zip(axes, ("broken", "fixed")):
    script = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))
    run = script["train"](0)
    right = sum(map(str.__eq__, run["said"], script["TEXT"]))
    axis.semilogy(run["losses"])
    axis.set(title=f"{name}.py: {right} of {len(script['TEXT'])} characters right")
    axis.set(xlabel="step", ylim=(0.005, 5))
axes[0].set_ylabel("training loss")
plt.show()
