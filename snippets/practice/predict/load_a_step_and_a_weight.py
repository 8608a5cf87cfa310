import tempfile

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
with tempfile.TemporaryDirectory() as folder:
    dcp.save({"step": 7, "weight": torch.ones(1)}, checkpoint_id=folder)
    state = {"step": 0, "weight": torch.zeros(1)}
    step, weight = state["step"], state["weight"]
    dcp.load(state, checkpoint_id=folder)
    print(step, weight.item())
