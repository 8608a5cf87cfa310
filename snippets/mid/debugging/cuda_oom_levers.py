import weakref

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint


class Live(TorchDispatchMode):
    """Bytes of the storages that eager operators create here, and their peak."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes, self.peak = {}, 0

    def alive(self) -> int:
        return sum(self.sizes.values())

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        given, made = (
            {
                each.untyped_storage()
                for each in tree_leaves(tree)
                if torch.is_tensor(each)
            }
            for tree in ((args, kwargs), result)
        )
        known = {each._cdata for each in given} | self.sizes.keys()
        for storage in made:
            if storage._cdata not in known:
                self.sizes[storage._cdata] = storage.nbytes()
                weakref.finalize(storage, self.sizes.pop, storage._cdata)
        self.peak = max(self.peak, self.alive())
        return result


def four_blocks() -> nn.Sequential:
    """Float32 (batch, 64) to (batch, 64)."""
    blocks = [[nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64)] for _ in range(4)]
    return nn.Sequential(*(nn.Sequential(*block) for block in blocks))


def memory(
    batch=256,
    pieces=1,
    frozen=0,
    checkpointed=False,
    dtype=torch.float32,
    optimizer=torch.optim.Adam,
    steps=2,
    **options,
) -> dict[str, int]:
    """Bytes in the last of some training steps; the first blocks can be frozen.

    Returns:
        parameters, gradients, states: after the step.
        saved: what forward left alive when backward starts, besides those three.
        backward, step: highest sum of all while backward runs, while step() runs.
    """
    blocks = four_blocks().to(dtype)
    blocks[:frozen].requires_grad_(False)
    trained = [each for each in blocks.parameters() if each.requires_grad]
    optimizer = optimizer(trained, lr=0.001, **options)
    x = torch.randn(batch, 64, dtype=dtype)
    with Live() as live:
        for _ in range(steps):
            optimizer.zero_grad()
            live.peak = 0
            for y in x.chunk(pieces):
                before = live.alive()
                for each in blocks:
                    y = (
                        checkpoint(each, y, use_reentrant=False)
                        if checkpointed
                        else each(y)
                    )
                y = y.square().mean() / pieces
                saved = live.alive() - before
                y.backward()
            del y
            backward, live.peak = live.peak, 0
            optimizer.step()
    states = [each for state in optimizer.state.values() for each in state.values()]
    parameters = sum(each.nbytes for each in blocks.parameters())
    return {
        "parameters": parameters,
        "gradients": sum(each.grad.nbytes for each in trained),
        "states": sum(each.nbytes for each in states if torch.is_tensor(each)),
        "saved": saved,
        "backward": parameters + backward,
        "step": parameters + live.peak,
    }


LEVERS = {
    "Adam, batch 256": {},
    "its first step": {"steps": 1},
    "batch 64": {"batch": 64},
    "4 pieces of 64": {"pieces": 4},
    "checkpointing": {"checkpointed": True},
    "model in bfloat16": {"dtype": torch.bfloat16},
    "SGD": {"optimizer": torch.optim.SGD},
    "foreach=True": {"foreach": True},
    "3 of 4 blocks frozen": {"frozen": 3},
}

if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"{'KB':23}" + "".join(f"{name:>11}"[-10:] for name in memory(batch=1)))
    for name, options in LEVERS.items():
        row = memory(**options).values()
        print(f"{name:23}" + "".join(f"{each / 1000:10,.0f}" for each in row))
