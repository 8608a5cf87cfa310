# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
from torch.utils.data import DataLoader, Dataset, get_worker_info


class WhoReads(Dataset):
    """Nine items; each names the process that read it."""

    def __len__(self) -> int:
        return 9

    def __getitem__(self, index: int) -> str:
        worker = get_worker_info()
        return f"w{worker.id}" if worker else "main"


if __name__ == "__main__":
    for options in ({}, {"drop_last": True}, {"num_workers": 2}):
        loader = DataLoader(WhoReads(), batch_size=2, **options)
        print(options, *[",".join(names) for names in loader], sep="   ")
