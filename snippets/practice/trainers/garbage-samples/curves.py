# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import torch

START = 12


@torch.no_grad()
def gaps(script: dict, model: torch.nn.Module) -> torch.Tensor:
    """How far logits with the cache are from those of one call, after each char."""
    ids = torch.tensor([script["encode"](script["TEXT"])])
    whole, cache = ([[] for _ in range(script["LAYERS"])] for _ in range(2))
    parts = [ids[:, :START], *ids[:, START:].split(1, dim=1)]
    spoken = torch.cat([model(part, cache) for part in parts], dim=1)
    return (spoken - model(ids, whole)).abs().amax(dim=2)[0]


if __name__ == "__main__":
    figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    for name, style in (("broken", "-"), ("fixed", "--")):
        script = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))
        run = script["train"](0)
        axes[0].semilogy(run["losses"], style, label=f"{name}.py")
        axes[1].plot(gaps(script, run["model"]), style, label=f"{name}.py")
    axes[0].set(xlabel="step", title="Training loss", ylim=(0.01, 5))
    axes[1].set(xlabel="character of the text")
    axes[1].set_title("Logits with the cache: distance\nfrom those of one call")
    axes[0].legend()
    axes[1].legend()
    plt.show()
