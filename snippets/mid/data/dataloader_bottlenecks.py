# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# output = "recorded"
# ///
import time
import warnings

from torch.utils.data import DataLoader


class Slow(list):
    """Batches, ready-made; reading one takes 60 milliseconds."""

    def __getitem__(self, index: int) -> int:
        time.sleep(0.06)
        return index


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "This DataLoader will create 4")  # 2 cores
    for workers in (0, 1, 2, 4):
        batches = iter(DataLoader(Slow(range(9)), None, num_workers=workers))
        next(batches)  # the first one also pays for the start of the workers
        start, waited = time.perf_counter(), 0.0
        for _ in range(8):
            asked = time.perf_counter()
            next(batches)
            waited += time.perf_counter() - asked
            time.sleep(0.02)  # the training step
        share = waited / (time.perf_counter() - start)
        print(f"{workers} workers: waits {share:.2f} of the time")
