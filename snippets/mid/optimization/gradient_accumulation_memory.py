# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks


def kept(micro_batches: int, layers: int = 6, width: int = 64) -> list[int]:
    """Bytes of activations kept, after each time that autograd keeps or uses one.

    Args:
        micro_batches: into how many a batch of 64 is cut.
    """
    blocks = [
        m for _ in range(layers) for m in (nn.Linear(width, width), nn.Tanh())
    ]
    model = nn.Sequential(*blocks, nn.Linear(width, 1))
    weights = {p.untyped_storage().data_ptr() for p in model.parameters()}
    alive: dict[int, int] = {}  # storage: how many saved tensors refer to it
    found = [0]

    def change(tensor: torch.Tensor, by: int) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            alive[storage.data_ptr()] = alive.get(storage.data_ptr(), 0) + by
            grow = (alive[storage.data_ptr()] == (by == 1)) * by
            found.append(found[-1] + grow * storage.nbytes())
        return tensor

    x = torch.randn(64 // micro_batches, width)
    for _ in range(micro_batches):
        with saved_tensors_hooks(lambda t: change(t, 1), lambda t: change(t, -1)):
            loss = model(x).mean() / micro_batches
            loss.backward()
    return found


if __name__ == "__main__":
    for micro_batches in (1, 4):
        sizes = kept(micro_batches)
        print(f"{micro_batches} x {64 // micro_batches:2}: peak {max(sizes)} bytes")
        at = torch.linspace(0, 1, len(sizes)).tolist()
        plt.plot(
            at,
            [size / 1024 for size in sizes],
            label=f"{micro_batches} x {64 // micro_batches} samples",
        )
    plt.xlabel("from the first forward pass to the step")
    plt.ylabel("activations kept for backward (KiB)")
    plt.legend()
    plt.show()
