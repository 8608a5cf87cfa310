"""Quickselect with a random pivot and three parts, on a list."""

import random
from collections.abc import Sequence


def quickselect(
    values: Sequence[float], k: int, draw: random.Random | None = None
) -> float:
    """The k-th largest of values, equal ones counted.

    Expected O(n) comparisons, and O(n) memory for copies; values is not changed.

    Args:
        values: n numbers without NaN.
        k: 1 to n.
        draw: where pivots come from. None takes a new seed from the system.

    Raises:
        ValueError: k is out of range, or a value is NaN.
    """
    if not 1 <= k <= len(values):
        raise ValueError(f"k must be 1 to {len(values)}, got {k}")
    if any(value != value for value in values):
        raise ValueError("NaN has no place in the order")
    draw = draw or random.Random()  # a new seed, so the pivots differ per call
    rest = list(values)
    while True:
        pivot = draw.choice(rest)
        larger = [value for value in rest if value > pivot]
        smaller = [value for value in rest if value < pivot]
        equal = len(rest) - len(larger) - len(smaller)
        if k <= len(larger):
            rest = larger
        elif k <= len(larger) + equal:
            return pivot
        else:
            k -= len(larger) + equal
            rest = smaller


if __name__ == "__main__":
    values = [3, 1, 5, 5, 2]
    print([quickselect(values, k) for k in range(1, 6)])
