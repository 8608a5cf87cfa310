import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
mesh = dist.init_device_mesh("cpu", (1,))
for order in ("optimizer first", "fully_shard first"):
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 2.0)
    if order == "optimizer first":
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        fully_shard(model, mesh=mesh)
    else:
        fully_shard(model, mesh=mesh)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    model(torch.ones(1, 1)).sum().backward()  # the gradient is 1
    optimizer.step()
    weight = model.weight.full_tensor().item()
    print(f"{order}: weight 2.0 -> {weight}, gradient {model.weight.grad.item()}")
dist.destroy_process_group()
