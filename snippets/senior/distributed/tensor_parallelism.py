import torch
import torch.distributed as dist
import torch.distributed.tensor.parallel as tp
from torch import nn
from torch.distributed.tensor.debug import CommDebugMode
from torch.testing._internal.distributed.fake_pg import FakeStore

dist.init_process_group("fake", rank=0, world_size=64, store=FakeStore())
mesh = dist.init_device_mesh("cpu", (64,))
model = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024))
plan = {"0": tp.ColwiseParallel(), "2": tp.RowwiseParallel()}
tp.parallelize_module(model, mesh, plan)
for name, whole in model.named_parameters():
    print(f"{name:9}{tuple(whole.shape)}, here {tuple(whole.to_local().shape)}")
x = torch.ones(16, 1024, requires_grad=True)
with CommDebugMode() as forward:
    loss = model(x).sum()
with CommDebugMode() as backward:
    loss.backward()
for name, traffic in (("forward", forward), ("backward", backward)):
    print(name, {str(op): count for op, count in traffic.get_comm_counts().items()})
