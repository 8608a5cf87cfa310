# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import os
import subprocess
import sys

CODE = (
    "labels = ['cat', 'dog', 'bird', 'cat', 'fish', 'newt']; print({}(set(labels)))"
)


def classes(order: str, hash_seed: str) -> str:
    """The classes of a data set, as a process with this hash seed lists them."""
    process = subprocess.run(
        [sys.executable, "-S", "-c", CODE.format(order)],
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return process.stdout


if __name__ == "__main__":
    for order in ("list", "sorted"):
        runs = {classes(order, str(seed)) for seed in range(1, 5)}
        print(f"{order}(set(labels)) is the same in 4 processes: {len(runs) == 1}")
