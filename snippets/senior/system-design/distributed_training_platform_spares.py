import heapq
import random


def calendar(
    spares: int,
    work_h: float = 206.4 * 24,
    between_h: float = 48.8,
    lost_h: float = 1.4,
    broken: float = 0.5,
    repair_h: float = 48.0,
    seed: int = 0,
) -> tuple[float, float]:
    """Simulate a job that needs all of its nodes, with some spares.

    Args:
        between_h: mean hours between two failures while the job runs.
        lost_h: hours for saving, repeating, noticing and restarting, per failure.
        broken: share of the failures after which a node must be repaired.

    Returns:
        Days until the work is done, and the days among them in which the job
        waited for a repair.
    """
    generator = random.Random(seed)
    now = waited = 0.0
    repairs: list[float] = []  # when a broken node is back
    while work_h > 0:
        lived = generator.expovariate(1 / between_h)
        now += min(lived, work_h)
        work_h -= lived
        if work_h <= 0:
            break
        now += lost_h
        while repairs and repairs[0] <= now:
            heapq.heappop(repairs)
        if generator.random() < broken:
            heapq.heappush(repairs, now + repair_h)
        if len(repairs) > spares:  # a node is missing
            back = heapq.heappop(repairs)
            waited += back - now
            now = back
    return now / 24, waited / 24


if __name__ == "__main__":
    print("spare nodes   days in all   waiting for a repair")
    for spares in (0, 1, 2, 4):
        runs = [calendar(spares, seed=seed) for seed in range(200)]
        total, waited = (
            sum(column) / len(runs) for column in zip(*runs, strict=True)
        )
        print(f"{spares:11}{total:14.0f}{waited:17.0f}")
