from collections import Counter
from collections.abc import Sequence


def count_pairs(values: Sequence[int], target: int) -> int:
    """Number of index pairs i < j with values[i] + values[j] == target, in O(n)."""
    counts = Counter(values)
    ordered = sum(count * counts[target - value] for value, count in counts.items())
    alone = sum(count for value, count in counts.items() if 2 * value == target)
    return (ordered - alone) // 2  # alone: an index with itself


def distinct_pairs(values: Sequence[int], target: int) -> list[tuple[int, int]]:
    """Pairs of values (a, b), a <= b, that two different indices hold, sorted."""
    counts = Counter(values)
    return sorted(
        (value, target - value)
        for value, count in counts.items()
        if (value < target - value and target - value in counts)
        or (2 * value == target and count > 1)
    )


if __name__ == "__main__":
    for values in ([1, 3, 1, 3, 2], [1] * 1000, [-5, 9, 2, 2]):
        print(count_pairs(values, 4), distinct_pairs(values, 4))
