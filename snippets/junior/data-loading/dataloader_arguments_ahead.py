# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import os
from collections.abc import Iterator

from torch.utils.data import DataLoader, Dataset, get_worker_info


class WhoReads(Dataset[tuple[int, int]]):
    """Item i is (the id of the worker that reads it, -1 in the main process; that process's id)."""

    def __getitem__(self, index: int) -> tuple[int, int]:
        worker = get_worker_info()
        return worker.id if worker else -1, os.getpid()


class Batches:
    """Lists of two indices each; ``handed_out`` counts those that the loader has taken."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.handed_out = 0

    def __iter__(self) -> Iterator[list[int]]:
        for number in range(self.length):
            self.handed_out += 1
            yield [2 * number, 2 * number + 1]


if __name__ == "__main__":
    fork = {"multiprocessing_context": "fork"}
    for options in (
        {},
        {"num_workers": 2, **fork},
        {"num_workers": 2, "persistent_workers": True, **fork},
    ):
        batches = Batches(6)
        loader = DataLoader(WhoReads(), batch_sampler=batches, **options)
        readers, handed_out, processes = [], [], set()
        for workers, process_ids in loader:
            readers.append(workers.tolist())
            handed_out.append(batches.handed_out)
            processes.update(process_ids.tolist())
        for _ in range(2):
            processes.update(
                int(process_id)
                for _, process_ids in loader
                for process_id in process_ids
            )
        print(
            f"num_workers={loader.num_workers}, persistent_workers={loader.persistent_workers}"
        )
        print(f"    batch i was read by             {readers}")
        print(f"    when it arrived, handed out     {handed_out}")
        print(f"    processes that read in 3 epochs {len(processes)}")
