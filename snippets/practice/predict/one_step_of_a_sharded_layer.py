import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.debug import CommDebugMode
from torch.testing._internal.distributed.fake_pg import FakeStore

dist.init_process_group("fake", rank=0, world_size=8, store=FakeStore())
mesh = dist.init_device_mesh("cpu", (8,))
layer = fully_shard(torch.nn.Linear(8, 8), mesh=mesh)
loss = layer(torch.ones(1, 8)).sum()
with CommDebugMode() as collectives:
    loss.backward()
print(collectives.get_total_counts())
