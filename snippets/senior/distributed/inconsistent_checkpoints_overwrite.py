import dataclasses
import logging
import tempfile
import warnings
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


class Crashing(dcp.FileSystemWriter):
    """Writes the first file of a checkpoint, then the node is lost."""

    def write_data(self, plan, planner):
        super().write_data(dataclasses.replace(plan, items=plan.items[:1]), planner)
        raise OSError("node is lost")


def save(folder: Path, value: float, writer: type[dcp.FileSystemWriter]) -> None:
    state = {"a": torch.full((2,), value), "b": torch.full((2,), value)}
    try:
        with warnings.catch_warnings():  # the folder has a checkpoint already
            warnings.simplefilter("ignore")
            dcp.save(
                state, storage_writer=writer(folder, single_file_per_rank=False)
            )
    except dcp.CheckpointException as error:
        print(f"save of {value}: {type(error.failures[0][0]).__name__}", end=", ")


if __name__ == "__main__":
    logging.disable()  # the reader logs a missing .metadata as well
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    for second in ("latest", "step-2"):
        with tempfile.TemporaryDirectory() as root:
            save(Path(root, "latest"), 1.0, dcp.FileSystemWriter)
            save(Path(root, second), 2.0, Crashing)
            state = {"a": torch.zeros(2), "b": torch.zeros(2)}
            try:
                dcp.load(state, checkpoint_id=Path(root, second))
            except dcp.CheckpointException:
                print(f"load of {second}: CheckpointException")
            else:
                print(f"load of {second}: a={state['a'][0]}, b={state['b'][0]}")
    dist.destroy_process_group()
