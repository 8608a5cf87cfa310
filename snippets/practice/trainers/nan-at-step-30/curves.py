# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
for axis, name in zip(axes, ("broken", "fixed")):
    train = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))["train"]
    axis.plot(range(1, 101), train(0)["losses"])
    axis.set(title=f"{name}.py", xlabel="step", xlim=(0, 100), ylim=(0, 1.6))
axes[0].axvspan(30, 100, color="gray", alpha=0.2)
axes[0].text(65, 0.3, "nan", ha="center")
axes[0].set_ylabel("loss")
plt.show()
