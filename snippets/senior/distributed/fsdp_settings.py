# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode

Shard = Callable[[nn.Sequential], None]


class Step(TorchDispatchMode):
    """Watches what one rank does in a block.

    Attributes:
        calls: how often each collective was called.
        sent: bytes that this rank sends in rings. In a ring of n ranks an
            all-gather and a reduce-scatter of S bytes (the whole tensor) send
            S * (n - 1) / n from each rank, and an all-reduce sends twice that.
        whole: at each matrix product, which layers have their whole weight.
    """

    def __init__(self, layers: nn.Sequential) -> None:
        super().__init__()
        self.layers = layers
        self.calls = {"allgather": 0, "reduce_scatter": 0, "allreduce": 0}
        self.sent = 0
        self.whole: list[list[bool]] = []

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        if op is torch.ops.aten.mm.default:
            self.whole.append(
                [not isinstance(layer.weight, DTensor) for layer in self.layers]
            )
        result = op(*args, **(kwargs or {}))
        if op.namespace == "c10d":
            name = op.__name__.split(".")[0].strip("_").removesuffix("_base")
            leaves = torch.utils._pytree.tree_leaves(args)
            size = max(t.nbytes for t in leaves if isinstance(t, torch.Tensor))
            group = next(x for x in leaves if isinstance(x, torch.ScriptObject))
            ranks = dist.ProcessGroup.unbox(group).size()
            self.calls[name] += 1
            self.sent += (1 + (name == "allreduce")) * size * (ranks - 1) // ranks
        return result


def four_layers() -> nn.Sequential:
    """16 MiB of weights."""
    return nn.Sequential(*[nn.Linear(1024, 1024, bias=False) for _ in range(4)])


def watch(shard: Shard) -> Step:
    """One forward and backward of ``four_layers()`` after ``shard(layers)``."""
    layers = four_layers()
    shard(layers)
    with Step(layers) as step:
        layers(torch.ones(2, 1024)).float().sum().backward()
    return step


def per_layer(**options: object) -> Shard:
    """``fully_shard`` with ``options`` on each layer, then on the root."""

    def shard(layers: nn.Sequential) -> None:
        for module in (*layers, layers):
            fully_shard(module, **options)

    return shard


def settings() -> dict[str, Shard]:
    """Ways to shard over the 64 ranks of the default group."""
    mesh = dist.init_device_mesh("cpu", (64,))
    grid = dist.init_device_mesh("cpu", (8, 8), mesh_dim_names=("copy", "shard"))
    mixed = MixedPrecisionPolicy(torch.bfloat16, reduce_dtype=torch.float32)

    def unsynchronized(layers: nn.Sequential) -> None:
        per_layer(mesh=mesh)(layers)
        layers.set_requires_gradient_sync(False)

    return {
        "each layer": per_layer(mesh=mesh),
        "root only": lambda layers: fully_shard(layers, mesh=mesh),
        "reshard_after_forward=False": per_layer(
            mesh=mesh, reshard_after_forward=False
        ),
        "param_dtype=torch.bfloat16": per_layer(mesh=mesh, mp_policy=mixed),
        "8 copies of 8 shards": per_layer(mesh=grid),
        "no gradient sync": unsynchronized,
    }


def draw(steps: dict[str, Step]) -> None:
    """A panel per step: for each layer, the products during which it is whole."""
    figure, panels = plt.subplots(len(steps), figsize=(5.5, 5), sharex=True)
    for panel, (title, step) in zip(panels, steps.items(), strict=True):
        for time, row in enumerate(step.whole):
            for number, whole in enumerate(row):
                if whole:
                    panel.broken_barh([(time, 1)], (number - 0.4, 0.8), color="C0")
        panel.axvline(4, color="gray", linestyle="--")
        panel.set(title=title, ylabel="layer", yticks=range(4), ylim=(-0.6, 3.6))
    panels[-1].set(xlabel="matrix products: 4 forward, 7 backward", xlim=(0, 11))
    plt.show()


if __name__ == "__main__":
    dist.init_process_group("fake", rank=0, world_size=64, store=FakeStore())
    print(f"{'':28}gather  scatter  reduce  MiB sent  layers whole")
    steps = {}
    for name, shard in settings().items():
        step = steps[name] = watch(shard)
        gather, scatter, reduce = step.calls.values()
        whole = max(map(sum, step.whole))
        print(f"{name:28}{gather:6}{scatter:9}{reduce:8}", end="")
        print(f"{step.sent / 2**20:10.2f}{whole:14}")
    shown = ("each layer", "reshard_after_forward=False", "root only")
    draw({name: steps[name] for name in shown})
