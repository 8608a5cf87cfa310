# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import os

from torch.utils.data import DataLoader, Dataset, get_worker_info


class WhoReads(Dataset):
    """Nine items; each names the process that read it."""

    def __len__(self) -> int:
        return 9

    def __getitem__(self, index: int) -> tuple[str, int]:
        worker = get_worker_info()
        return f"w{worker.id}" if worker else "main", os.getpid()


if __name__ == "__main__":
    two = {"num_workers": 2}
    kept = {"persistent_workers": True}
    for options in ({}, {"drop_last": True}, two, two | kept):
        loader = DataLoader(WhoReads(), batch_size=2, **options)
        epochs = [list(loader) for _ in range(3)]
        readers = " ".join(",".join(names) for names, _ in epochs[0])
        processes = {
            pid for epoch in epochs for _, ids in epoch for pid in ids.tolist()
        }
        print(
            f"{options or 'defaults'}\n    {readers}   processes: {len(processes)}"
        )
