# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math
import runpy
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt


def entropy(text: str) -> float:
    """The lowest mean loss on windows of the text, which is read in a circle."""
    size, total = len(text), 0.0
    for before in range(1, size + 1):
        windows = [(text * 2)[i : i + before + 1] for i in range(size)]
        starts = Counter(window[:-1] for window in windows)
        for window, count in Counter(windows).items():
            total += count / size * math.log(starts[window[:-1]] / count)
    return total / size


if __name__ == "__main__":
    script = runpy.run_path(str(Path(__file__).with_name("broken.py")))
    figure, axis = plt.subplots(figsize=(8, 3), layout="constrained")
    for seed, style in enumerate(("-", "--", ":")):
        axis.semilogy(script["train"](seed)["losses"], style, label=f"seed {seed}")
    axis.axhline(entropy(script["TEXT"]), color="gray", label="entropy")
    axis.set(xlabel="step", ylabel="training loss", ylim=(0.01, 5))
    axis.legend()
    plt.show()
