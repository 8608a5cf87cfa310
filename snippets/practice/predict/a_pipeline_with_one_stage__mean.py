import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
layer = nn.Linear(1, 1, bias=False)
stage = PipelineStage(layer, 0, 1, torch.device("cpu"))
loss = nn.L1Loss(reduction="mean")
pipeline = ScheduleGPipe(stage, n_microbatches=4, loss_fn=loss)
pipeline.step(torch.ones(8, 1), target=torch.full((8, 1), -9.0))
print(layer.weight.grad.item())
