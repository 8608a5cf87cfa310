import random
from collections import deque

FIXED_MS, ITEM_MS, MAX_BATCH = 3.0, 0.25, 64


def serve(
    load: float,
    shed_after_ms: float = float("inf"),
    requests: int = 100_000,
    seed: int = 0,
) -> list[float]:
    """Simulate one replica; a request that has queued longer than ``shed_after_ms`` is refused, not computed.

    Args:
        load: arrival rate divided by capacity.

    Returns:
        Latencies of the answered requests in simulated milliseconds.
    """
    generator = random.Random(seed)
    gap_ms = (FIXED_MS + ITEM_MS * MAX_BATCH) / MAX_BATCH / load
    queue: deque[float] = deque()
    latencies: list[float] = []
    arrival = now = 0.0
    for _ in range(requests):
        arrival += generator.expovariate(1 / gap_ms)
        # As long as the replica is free before this request arrives.
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
    longest_queue_ms = 50 - (FIXED_MS + ITEM_MS * MAX_BATCH)
    print(
        f"answered within 50 ms    queue everything   refuse after {longest_queue_ms:.0f} ms in the queue"
    )
    for load in (0.7, 0.9, 1.05, 1.5):
        kept, shed = in_time(serve(load)), in_time(serve(load, longest_queue_ms))
        print(f"            load {load:4.0%}  {kept:17.1%}  {shed:17.1%}")
