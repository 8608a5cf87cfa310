# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# output = "recorded"
# ///
import itertools
import time
from collections.abc import Callable, Iterable
from typing import Any

from torch.utils.data import DataLoader


def wait_share(
    batches: Iterable[Any], step: Callable[[Any], object], count: int
) -> float:
    """Share of a training loop's time in which it waits for a batch, 0 to 1.

    The first batch is not counted, because it also pays for the start of workers.

    Args:
        batches: a loader.
        step: one training step. On a GPU it must end in a synchronization.
        count: batches to measure, at least 1.

    Raises:
        ValueError: there are not ``count`` batches after the first one.
    """
    if count < 1:
        raise ValueError(f"count is {count}, must be at least 1")
    iterator, waited, seen = iter(batches), 0.0, 0
    next(iterator, None)
    start = asked = time.perf_counter()
    for batch in itertools.islice(iterator, count):
        waited += time.perf_counter() - asked
        step(batch)
        seen += 1
        asked = time.perf_counter()
    if seen < count:
        raise ValueError(f"only {seen} batches after the first one")
    return waited / (asked - start)


class Slow(list):
    """Batches, ready-made; reading one takes as many seconds as it says."""

    def __getitem__(self, index: int) -> float:
        time.sleep(super().__getitem__(index))
        return 0.0


if __name__ == "__main__":
    datasets = {
        "one slow batch in eight": ([0.002] * 7 + [0.06]) * 3,
        "all batches too slow": [0.015] * 24,
    }
    for name, seconds in datasets.items():
        for factor in (1, 8):
            loader = DataLoader(
                Slow(seconds),
                batch_size=None,
                num_workers=1,
                prefetch_factor=factor,
            )
            share = wait_share(loader, lambda batch: time.sleep(0.01), count=20)
            print(f"{name:24} prefetch_factor {factor}: waits {share:.2f}")
