import heapq
import random
from bisect import bisect_right
from itertools import accumulate

# Milliseconds per batch and per request in it: put your measured line here.
FIXED_MS, ITEM_MS = 3.0, 0.25


def capacity(max_batch: int) -> float:
    """Requests per second that one replica finishes with full batches, back to back."""
    return 1000 * max_batch / (FIXED_MS + ITEM_MS * max_batch)


def simulate(
    load: float,
    max_batch: int,
    max_wait_ms: float = 0.0,
    replicas: int = 1,
    requests: int = 60_000,
    seed: int = 0,
) -> list[float]:
    """Simulate Poisson arrivals at a dynamic batcher with one first-come queue; nothing is timed.

    A free replica starts a batch as soon as ``max_batch`` requests wait or the oldest has waited ``max_wait_ms``.

    Args:
        load: arrival rate divided by the capacity of all replicas; at 1 or more the queue never drains.
        replicas: how many replicas take batches from the queue.

    Returns:
        Latency of each request in simulated milliseconds (queue and model), in order of arrival.
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
    print("max batch 64:    no wait window     wait up to 10 ms")
    print("        load    p50       p99        p50       p99")
    loads = (0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 1.05)
    for load, requests in [(load, 60_000) for load in loads] + [(1.05, 120_000)]:
        row = [
            percentile(simulate(load, 64, wait, requests=requests), p)
            for wait in (0, 10)
            for p in (50, 99)
        ]
        note = "  twice as long" if requests > 60_000 else ""
        print(
            f"        {load:4.0%} {row[0]:6.0f} ms {row[1]:6.0f} ms  {row[2]:6.0f} ms {row[3]:6.0f} ms{note}"
        )
    print("90% load:  max batch  requests/s per replica    p50       p99")
    for max_batch in (8, 32, 64, 128, 256):
        latencies = simulate(0.9, max_batch)
        row = [percentile(latencies, p) for p in (50, 99)]
        print(
            f"           {max_batch:9} {0.9 * capacity(max_batch):23.0f} {row[0]:6.0f} ms {row[1]:6.0f} ms"
        )
    print("90% load, max batch 64, 16 replicas:            p50       p99")
    for queues, count in (
        ("a queue per replica, random routing", 1),
        ("one queue that all replicas take from", 16),
    ):
        latencies = simulate(0.9, 64, replicas=count, requests=60_000 * count)
        print(
            f"    {queues:41} {percentile(latencies, 50):6.0f} ms {percentile(latencies, 99):6.0f} ms"
        )
