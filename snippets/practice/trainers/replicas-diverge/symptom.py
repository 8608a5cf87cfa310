# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import torch

train = runpy.run_path(str(Path(__file__).with_name("broken.py")))["train"]
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
runs = [train(seed) for seed in range(3)]
for seed, (run, style) in enumerate(zip(runs, ("-", "--", ":"))):
    left.plot(run["distances"], style, label=f"seed {seed}")
left.set(xlabel="step", ylabel="distance of the two ranks", ylim=(0, 30))
left.legend()
losses = torch.tensor(runs[0]["losses"]).view(-1, 5, 2).mean(dim=1)
for rank, style in enumerate(("-", "--")):
    right.plot(range(3, 203, 5), losses[:, rank], style, label=f"rank {rank}")
right.set(xlabel="step", ylabel="loss, mean of five steps", ylim=(0, 60))
right.set_title("seed 0")
right.legend()
plt.show()
