# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
from collections.abc import Iterator

from torch.utils.data import DataLoader


class Batches:
    """Lists of two indices; ``handed_out`` counts those that a loader has taken."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.handed_out = 0

    def __iter__(self) -> Iterator[list[int]]:
        for number in range(self.length):
            self.handed_out += 1
            yield [2 * number, 2 * number + 1]


if __name__ == "__main__":
    for options in (
        {},
        {"num_workers": 2},
        {"num_workers": 2, "prefetch_factor": 3},
    ):
        batches = Batches(8)
        loader = DataLoader(range(16), batch_sampler=batches, **options)
        handed_out = [batches.handed_out for _ in loader]
        print(f"{options}\n    when batch i arrived, handed out: {handed_out}")
