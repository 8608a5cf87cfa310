import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


def resume(folders: list[Path], caught: type[BaseException]) -> str:
    for folder in folders:
        state = {"weight": torch.zeros(2)}
        try:
            dcp.load(state, checkpoint_id=folder)
            return f"resumed from {folder.name}"
        except caught:
            continue  # an older one is better than none
    return "no checkpoint"


dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
with tempfile.TemporaryDirectory() as root:
    folders = [Path(root, f"step-{step}") for step in (2, 1)]
    for folder in folders:
        dcp.save({"weight": torch.ones(2)}, checkpoint_id=folder)
    (folders[0] / "__0_0.distcp").unlink()
    for caught in (Exception, dcp.CheckpointException):
        try:
            print(f"except {caught.__name__}:", resume(folders, caught))
        except BaseException as error:
            print(f"except {caught.__name__}: job ends, {type(error).__name__}")
dist.destroy_process_group()
