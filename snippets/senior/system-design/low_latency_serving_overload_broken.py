import random
from collections import deque

FIXED_MS, ITEM_MS, MAX_BATCH = 3.0, 0.25, 64


def serve(
    load: float,
    shed_after_ms: float = float("inf"),
    requests: int = 100_000,
    seed: int = 0,
) -> list[float]:
    """Simulate one replica. A request that has queued too long is shed.

    Args:
        load: arrival rate divided by capacity.
        shed_after_ms: the longest time in the queue, checked when a batch begins.

    Returns:
        Latencies of the answered requests in simulated milliseconds.
    """
    generator = random.Random(seed)
    gap_ms = (FIXED_MS + ITEM_MS * MAX_BATCH) / MAX_BATCH / load
    queue: deque[float] = deque()
    latencies: list[float] = []
    arrival = now = 0.0
    for number in range(requests + 1):
        arrival += generator.expovariate(1 / gap_ms)
        if number == requests:
            arrival = float("inf")  # no more arrivals: serve what still waits
        # While the replica is free before this request arrives.
        while queue and now < arrival:
            now = max(now, queue[0])
            while queue and now - queue[0] > shed_after_ms:
                queue.popleft()
            batch = [queue.popleft() for _ in range(min(MAX_BATCH, len(queue)))]
            if batch:
                now += FIXED_MS + ITEM_MS * len(batch)
                latencies += [now - queued for queued in batch]
        queue.append(arrival)
    return latencies


def in_time(
    latencies: list[float], requests: int = 100_000, budget_ms: float = 50.0
) -> float:
    """Share of all requests that were answered within the budget."""
    return sum(latency <= budget_ms for latency in latencies) / requests


if __name__ == "__main__":
    batch_ms = FIXED_MS + ITEM_MS * MAX_BATCH
    print("share answered within 50 ms    1 s    3 s   28 s")
    for load in (0.9, 1.05, 1.5):
        rows = (("accept all", float("inf")), ("shed the late", 50 - batch_ms))
        for name, limit in rows:
            shares = []
            for seconds in (1, 3, 28):
                count = int(seconds * load * 1000 * MAX_BATCH / batch_ms)
                shares.append(in_time(serve(load, limit, count), count))
            cells = "".join(f"{share:7.0%}" for share in shares)
            print(f"load {load:4.0%}, {name:16}{cells}")
