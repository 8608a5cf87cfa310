# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for name, line in (("broken", "--"), ("fixed", "-")):
    train = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))["train"]
    run = train(0)
    for axis, key in ((left, "losses"), (right, "accuracies")):
        axis.plot(range(1, 9), run[key], line, marker="o", label=f"{name}.py")
left.set(xlabel="epoch", ylabel="training loss", ylim=(0, 2.5))
right.set(xlabel="epoch", ylabel="test accuracy", ylim=(0, 1.03))
right.legend(loc="center right")
plt.show()
