# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "recorded"
# ///
import runpy
import statistics
import time
from pathlib import Path

import torch

backward = torch.Tensor.backward
counts, inside, counting = [], [], []


def nodes(loss: torch.Tensor) -> int:
    """How many nodes of the graph lie behind a loss."""
    found, left = {loss.grad_fn}, [loss.grad_fn]
    while left:
        for node, _ in left.pop().next_functions:
            if node is not None and node not in found:
                found.add(node)
                left.append(node)
    return len(found)


def measured(loss: torch.Tensor, **named: bool) -> None:
    before = time.process_time()
    counts.append(nodes(loss))
    began = time.process_time()
    backward(loss, **named)
    inside.append(1000 * (time.process_time() - began))
    counting.append(1000 * (began - before))


torch.Tensor.backward = measured
train = runpy.run_path(str(Path(__file__).with_name("broken.py")))["train"]
whole = train(0)["milliseconds"]
torch.Tensor.backward = backward
rest = [a - b - c for a, b, c in zip(whole, inside, counting)]
print("steps      nodes of the last   backward   everything else")
for first in (0, 10, 30, 50):
    last = first + 10
    milliseconds = [statistics.median(each[first:last]) for each in (inside, rest)]
    print(f"{first + 1:2} to {last} {counts[last - 1]:15}", end="")
    print("{:12.1f} ms {:14.1f} ms".format(*milliseconds))
