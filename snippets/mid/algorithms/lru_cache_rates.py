# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
"""Hit rates of a cache for 1,000 keys, each asked for ten times on average."""

import random
from collections import OrderedDict
from collections.abc import Hashable, Iterable

import matplotlib.pyplot as plt


def hit_rate(
    stream: Iterable[Hashable], capacity: int, refresh: bool = True
) -> float:
    """The share of keys in stream that are found in a cache of capacity entries.

    refresh: whether a hit counts as a use. Without it the oldest entry goes (FIFO).
    """
    entries, hits, total = OrderedDict(), 0, 0
    for key in stream:
        total += 1
        if key in entries:
            hits += 1
            if refresh:
                entries.move_to_end(key)
        else:
            entries[key] = None
            if len(entries) > capacity:
                entries.popitem(last=False)
    return hits / total


def streams(keys: int = 1_000, epochs: int = 10) -> dict[str, list[int]]:
    """Three orders in which a program may ask for `keys` keys."""
    draw = random.Random(0)
    shuffled = [
        key for _ in range(epochs) for key in draw.sample(range(keys), keys)
    ]
    weights = [1 / (rank + 1) for rank in range(keys)]
    return {
        "few keys are popular": draw.choices(range(keys), weights, k=keys * epochs),
        "shuffled epochs": shuffled,
        "epochs in one order": list(range(keys)) * epochs,
    }


if __name__ == "__main__":
    capacities = [10, 100, 200, 300, 400, 500, 600, 700, 800, 900, 999, 1000]
    for (name, stream), style in zip(streams().items(), ("o-", "s--", "^:")):
        rates = [100 * hit_rate(stream, capacity) for capacity in capacities]
        plt.plot(capacities, rates, style, label=name)
        print(f"{name:21}", *(f"{rate:4.0f}%" for rate in rates[-6:]))
    plt.xlabel("capacity, entries (of 1,000 keys)")
    plt.ylabel("hits, % of all requests")
    plt.ylim(-4, 104)
    plt.legend(loc="lower center", bbox_to_anchor=(0.5, 1))
    plt.show()
