from collections import Counter

import torch
from torch.utils.data import DataLoader


def samples_seen(
    shuffle: bool, restart: bool, samples: int = 1000, batch_size: int = 100
) -> Counter[int]:
    """How often each sample is seen in as many steps as one epoch has.

    Args:
        restart: take each batch with ``next(iter(loader))``, not from one iterator.
    """
    generator = torch.Generator().manual_seed(0)
    loader = DataLoader(
        range(samples), batch_size, shuffle=shuffle, generator=generator
    )
    iterator = iter(loader)
    seen: Counter[int] = Counter()
    for _ in range(len(loader)):
        batch = next(iter(loader)) if restart else next(iterator)
        seen.update(batch.tolist())
    return seen


if __name__ == "__main__":
    for restart, line in (
        (False, "for batch in loader"),
        (True, "next(iter(loader)) in each step"),
    ):
        for shuffle in (True, False):
            seen = samples_seen(shuffle, restart)
            times = f"up to {max(seen.values()):2} times each"
            print(
                f"{line:31} shuffle={shuffle!s:5}  {len(seen):4} samples, {times}"
            )
