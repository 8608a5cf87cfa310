# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "recorded"
# ///
import resource
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn


def resident_megabytes() -> float:
    """Resident set size (RSS) of this process in MB; outside Linux the highest so far, which a leak raises as well."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize() / 1e6
    return (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        * (1 if sys.platform == "darwin" else 1024)
        / 1e6
    )


def curve(fixed: bool, steps: int = 80, every: int = 20) -> list[float]:
    """Validate for ``steps`` batches and keep every loss, ``fixed`` as a number.

    Returns:
        RSS in MB at the start and after each ``every`` batches.
    """
    model = nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 10))
    history, megabytes = [], [resident_megabytes()]
    for step in range(1, steps + 1):
        loss = F.cross_entropy(
            model(torch.randn(256, 512)), torch.randint(10, (256,))
        )
        history.append(loss.item() if fixed else loss)
        if step % every == 0:
            megabytes.append(resident_megabytes())
    return megabytes


if __name__ == "__main__":
    print(
        "RSS in MB after   "
        + "".join(f"{step:6}" for step in range(0, 81, 20))
        + "  batches"
    )
    curve(fixed=True)  # the first pass through the code also loads libraries
    for name, fixed in (("fixed", True), ("leaking", False)):
        print(
            f"{name:18}"
            + "".join(f"{megabytes:6.0f}" for megabytes in curve(fixed))
        )
