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
    megabytes = train(0)["megabytes"]
    axis.plot(range(1, len(megabytes) + 1), megabytes, marker="o")
    axis.set(title=f"{name}.py", xlabel="epoch", ylim=(-2, 60))
axes[0].set_ylabel("MB in tensors, above the start")
plt.show()
