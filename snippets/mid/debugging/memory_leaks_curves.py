# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import gc
import weakref
from types import SimpleNamespace

import matplotlib.pyplot as plt
import torch


def curve(kept: str, steps: int = 20, collect_every: int = 5) -> list[int]:
    """Bytes of the activations that are alive after each step, 131,072 a step."""
    w, losses, activations, found = torch.ones(256, requires_grad=True), [], [], []
    gc.disable()  # collections come when this program asks for them
    for step in range(1, steps + 1):
        hidden = (torch.ones(128, 256) * w).exp()
        activations.append(weakref.ref(hidden.untyped_storage()))
        if kept == "loss in a list":
            losses.append(hidden.mean())
        elif kept == "reference cycle":
            batch = SimpleNamespace(hidden=hidden.detach())
            batch.me = batch
            del batch
        del hidden
        if step % collect_every == 0:
            gc.collect()
        alive = [each() for each in activations]
        found.append(sum(each.nbytes() for each in alive if each is not None))
        del alive
    gc.enable()
    return found


if __name__ == "__main__":
    gc.freeze()  # the collections skip what is older than the loops
    for kept, line in (
        ("loss in a list", "-"),
        ("reference cycle", "--"),
        ("nothing", ":"),
    ):
        found = [size / 1e6 for size in curve(kept)]
        print(
            f"{kept:16}{max(found):5.2f} MB at most,{found[-1]:5.2f} MB at the end"
        )
        plt.plot(range(1, 21), found, line, label=kept)
    plt.xlabel("step")
    plt.ylabel("memory of live activations, MB")
    plt.legend(title="What the loop keeps")
    plt.show()
