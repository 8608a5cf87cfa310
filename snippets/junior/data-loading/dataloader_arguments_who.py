# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
from torch.utils.data import DataLoader, get_worker_info


class WhoReads(list):
    """Each item names the process that read it."""

    def __getitem__(self, index):
        worker = get_worker_info()
        return f"w{worker.id}" if worker else "main"


if __name__ == "__main__":
    for options in ({}, {"drop_last": True}, {"num_workers": 2}):
        loader = DataLoader(WhoReads(range(9)), batch_size=2, **options)
        print(options, *[",".join(names) for names in loader], sep="   ")
