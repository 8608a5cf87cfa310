# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import heapq
import random
from bisect import bisect_right
from itertools import accumulate

import matplotlib.pyplot as plt

# Milliseconds per batch and per request in it: put your measured line here.
FIXED_MS, ITEM_MS = 3.0, 0.25


def capacity(max_batch: int) -> float:
    """Requests per second of one replica with full batches, back to back."""
    return 1000 * max_batch / (FIXED_MS + ITEM_MS * max_batch)


def simulate(
    load: float,
    max_batch: int,
    max_wait_ms: float = 0.0,
    replicas: int = 1,
    requests: int = 60_000,
    seed: int = 0,
) -> list[float]:
    """Simulate Poisson arrivals at a dynamic batcher with one queue.

    A free replica starts a batch as soon as ``max_batch`` requests wait, or the
    oldest has waited ``max_wait_ms``.

    Args:
        load: arrival rate divided by the capacity of all replicas.
        replicas: how many replicas take batches from the queue.

    Returns:
        Latency of each request, queue and model, in simulated milliseconds.
    """
    generator = random.Random(seed)
    rate = load * replicas * capacity(max_batch) / 1000
    gaps = (generator.expovariate(rate) for _ in range(requests))
    arrivals = list(accumulate(gaps))
    free_at = [0.0] * replicas
    latencies: list[float] = []
    while len(latencies) < requests:
        first = len(latencies)
        full_at = arrivals[min(first + max_batch, requests) - 1]
        start = max(free_at[0], min(full_at, arrivals[first] + max_wait_ms))
        end = min(first + max_batch, bisect_right(arrivals, start))
        batch = arrivals[first:end]
        done = start + FIXED_MS + ITEM_MS * len(batch)
        heapq.heapreplace(free_at, done)
        latencies += [done - arrival for arrival in batch]
    return latencies


def percentile(values: list[float], percent: float) -> float:
    """The value that ``percent`` of the values do not exceed."""
    return sorted(values)[min(int(len(values) * percent / 100), len(values) - 1)]


if __name__ == "__main__":
    loads = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
    latencies = {load: simulate(load, 64) for load in loads}
    for percent in (99, 50):
        curve = [percentile(latencies[load], percent) for load in loads]
        plt.plot([100 * load for load in loads], curve, label=f"p{percent}")
    plt.axhline(50, linewidth=0.8, color="gray")
    plt.xlabel("load (% of capacity)")
    plt.ylabel("latency (ms)")
    plt.ylim(0, 70)
    plt.legend()
    plt.show()

    print("max batch 64        p50     p99    and with a window of 10 ms")
    for load in (0.1, 0.5, 0.9):
        plain, waited = simulate(load, 64), simulate(load, 64, max_wait_ms=10)
        row = [percentile(found, p) for found in (plain, waited) for p in (50, 99)]
        cells = "".join(f"{value:6.0f} ms" for value in row)
        print(f"load {load:4.0%}     {cells}")
    print("\none zone, p50 and p99       all zones up        a zone lost")
    plans = {"17 GPUs, 17 queues, 64": (17, 1, 64)}
    plans |= {"17 GPUs, one queue, 64": (17, 17, 64)}
    plans |= {"16 GPUs, one queue, 128": (16, 16, 128)}
    for name, (gpus, per_queue, max_batch) in plans.items():
        row = []
        for zones in (3, 2):
            load = 100_000 / zones / (gpus * capacity(max_batch))
            found = simulate(load, max_batch, replicas=per_queue, requests=200_000)
            row += [percentile(found, percent) for percent in (50, 99)]
        print(f"{name:23}" + "".join(f"{value:6.0f} ms" for value in row))
