import torch
import torch.distributed as dist
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode


class Traffic(TorchDispatchMode):
    """Adds up the bytes of the whole tensor in each collective, by its name."""

    def __init__(self) -> None:
        super().__init__()
        self.sums: dict[str, int] = {}

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        if op.namespace == "c10d":
            name = op.__name__.split(".")[0].strip("_")
            tensors = [a for a in args[:2] if isinstance(a, torch.Tensor)]
            whole = max([t.nbytes for t in tensors] or [args[0][0].nbytes])
            self.sums[name] = self.sums.get(name, 0) + whole
        return op(*args, **(kwargs or {}))


def step(copies: int, shard: int, layers: int = 4, width: int = 1024) -> dict:
    """Bytes of each collective in a step, over those of the bfloat16 weights."""
    dist.init_process_group(
        "fake", rank=0, world_size=copies * shard, store=FakeStore()
    )
    mesh = dist.init_device_mesh(
        "cpu", (copies, shard), mesh_dim_names=("copies", "shard")
    )
    blocks = (torch.nn.Linear(width, width, bias=False) for _ in range(layers))
    model = torch.nn.Sequential(*blocks)
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
    model.apply(lambda m: fully_shard(m, mesh=mesh, mp_policy=policy))
    with Traffic() as traffic:
        model(torch.ones(2, width)).sum().backward()
    states = sum(p.to_local().nbytes for p in model.parameters())
    dist.destroy_process_group()
    weights = 2 * layers * width * width
    ratios = {name: size / weights for name, size in traffic.sums.items()}
    return ratios | {"float32 weights here": states / weights}


if __name__ == "__main__":
    for copies, shard in ((16, 64), (4, 256)):
        print(f"{copies} copies of {shard} ranks, bytes over those of the weights")
        for name, ratio in step(copies, shard).items():
            print(f"  {name:28}{ratio:.4f}")
