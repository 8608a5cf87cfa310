# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
#
# [tool.warmup]
# output = "recorded"
# ///
import resource
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn


def resident_megabytes() -> float:
    """RSS of this process in MB; outside Linux the highest so far."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize() / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def curve(fixed: bool, steps: int = 400, every: int = 100) -> list[float]:
    """Validate for ``steps`` batches and keep every loss, ``fixed`` as a number.

    Returns:
        RSS in MB at the start and after each ``every`` batches.
    """
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1000))
    history, megabytes = [], [resident_megabytes()]
    for step in range(1, steps + 1):
        loss = F.cross_entropy(
            model(torch.randn(128, 64)), torch.randint(1000, (128,))
        )
        history.append(loss.item() if fixed else loss)
        if step % every == 0:
            megabytes.append(resident_megabytes())
    return megabytes


if __name__ == "__main__":
    batches = range(0, 401, 100)
    curve(fixed=True)  # the first pass through the code also loads libraries
    print(
        "RSS in MB after   "
        + "".join(f"{batch:6}" for batch in batches)
        + "  batches"
    )
    for name, fixed in (("item()", True), ("loss", False)):
        megabytes = curve(fixed)
        print(
            f"history of {name:7}" + "".join(f"{value:6.0f}" for value in megabytes)
        )
        plt.plot(batches, megabytes, marker="o", label=f"history of {name}")
    plt.xlabel("validation batches")
    plt.ylabel("memory of the process (MB)")
    plt.ylim(bottom=0)
    plt.legend()
    plt.show()
