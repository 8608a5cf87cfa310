# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import json
import multiprocessing
import os
import tempfile
from datetime import timedelta
from pathlib import Path

os.environ["TORCH_FR_BUFFER_SIZE"] = "100"  # before the first group is made

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _set_pg_timeout


def flight_record() -> list[tuple[int, str, list[int]]]:
    """Number, name and input shape of each collective that this rank has called."""
    record = json.loads(torch._C._distributed_c10d._dump_fr_trace_json())
    return [
        (
            entry["collective_seq_id"],
            entry["profiling_name"],
            entry["input_sizes"][0],
        )
        for entry in record["entries"]
        if entry["input_sizes"]  # a barrier has none
    ]


def train(rank: int, released) -> str:
    """Two collectives per step; rank 1 is stuck before the third one."""
    for step in range(3):
        if rank == 1 and step == 1:
            released.wait()
            return "nothing"
        if step == 1:  # a job sets it once, in init_process_group
            _set_pg_timeout(timedelta(seconds=0.5))
        try:
            dist.all_reduce(torch.ones(4))  # gradients
            dist.all_reduce(torch.ones(1))  # loss
        except RuntimeError:
            return "RuntimeError"
    return "nothing"


def worker(rank: int, folder: str, released) -> None:
    file = f"file://{folder}/init"
    dist.init_process_group("gloo", file, rank=rank, world_size=3)
    dist.barrier()
    row = train(rank, released), flight_record()
    Path(folder, str(rank)).write_text(json.dumps(row))
    os._exit(0)


def run() -> list:
    """What each of three ranks raised, and its flight record."""
    context = multiprocessing.get_context("fork")
    released = context.Event()
    with tempfile.TemporaryDirectory() as folder:
        ranks = [
            context.Process(target=worker, args=(rank, folder, released))
            for rank in range(3)
        ]
        for process in ranks:
            process.start()
        ranks[0].join()
        ranks[2].join()
        released.set()  # as if somebody dumped the record of a rank that hangs
        ranks[1].join()
        return [
            json.loads(Path(folder, str(rank)).read_text()) for rank in range(3)
        ]


if __name__ == "__main__":
    torch.set_num_threads(1)
    for rank, (raised, record) in enumerate(run()):
        print(f"rank {rank} raised {raised}")
        for number, name, shape in record:
            print(f"    {number} {name} {shape}")
