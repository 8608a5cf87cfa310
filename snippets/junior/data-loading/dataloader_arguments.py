# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import os

from torch.utils.data import DataLoader


class WhoReads(list):
    """Each item is the id of the process that read it."""

    def __getitem__(self, index):
        return os.getpid()


if __name__ == "__main__":
    for options in (
        {},
        {"num_workers": 2},
        {"num_workers": 2, "persistent_workers": True},
    ):
        loader = DataLoader(WhoReads(range(9)), batch_size=2, **options)
        readers = {
            int(pid) for epoch in range(3) for pids in loader for pid in pids
        }
        print(f"{len(readers)} processes in three epochs, {options}")
