import random
from statistics import mean, median

RANKS, STEPS = 64, 50


def times(seed: int, slow_rank: int) -> list[list[float]]:
    """Seconds of forward and backward, without waiting: one row per step.

    Each rank has a hiccup of 3 times its time in 2% of the steps. One rank takes
    30% longer in all of them.
    """
    chance = random.Random(seed)
    return [
        [
            (1.3 if rank == slow_rank else 1.0)
            * (3 if chance.random() < 0.02 else chance.uniform(0.95, 1.05))
            for rank in range(RANKS)
        ]
        for _ in range(STEPS)
    ]


def slow_ranks(rows: list[list[float]], limit: float = 1.2) -> list[int]:
    """Ranks whose median time is more than ``limit`` times that of all ranks."""
    per_rank = [median(column) for column in zip(*rows, strict=True)]
    return [r for r, own in enumerate(per_rank) if own > limit * median(per_rank)]


if __name__ == "__main__":
    rows = times(seed=0, slow_rank=41)
    print("a rank has a hiccup in 2% of its steps; a step has one in")
    for ranks in (1, 8, 64, 1024):
        print(f"    {1 - 0.98**ranks:7.2%} of cases with {ranks} ranks")
    last = {max(range(RANKS), key=row.__getitem__) for row in rows}
    print(f"{len(last)} different ranks were last in {STEPS} steps")
    print(f"slow by their median: {slow_ranks(rows)}")
    healthy = [[t for r, t in enumerate(row) if r != 41] for row in rows]
    print(
        f"a step takes {mean(map(max, rows)):.1f}, a healthy rank {1.0:.1f};",
        end=" ",
    )
    print(f"without rank 41: {mean(map(max, healthy)):.1f}")
