import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode


class ShowTraffic(TorchDispatchMode):
    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        if op.namespace == "c10d":
            whole = max(args[0].nbytes, args[1].nbytes)
            print(f"{op.__name__.split('.')[0]:22}{whole >> 20} MiB")
        return op(*args, **(kwargs or {}))


dist.init_process_group("fake", rank=0, world_size=64, store=FakeStore())
mesh = dist.init_device_mesh("cpu", (64,))
sizes = [(512, 512), (512, 1024), (1024, 1024)]  # 1, 2 and 4 MiB of weights
model = torch.nn.Sequential(*[torch.nn.Linear(*s, bias=False) for s in sizes])
model.apply(lambda module: fully_shard(module, mesh=mesh))  # layers, then root
print(sum(p.to_local().nbytes for p in model.parameters()) >> 10, "KiB here")
with ShowTraffic():
    model(torch.ones(8, 512)).sum().backward()
    torch.optim.AdamW(model.parameters()).step()
