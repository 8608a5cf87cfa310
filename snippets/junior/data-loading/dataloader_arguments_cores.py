import os
import textwrap
import warnings

from torch.utils.data import DataLoader


def warnings_for(loaders: int, num_workers: int) -> list[str]:
    """Warnings from building ``loaders`` loaders of ``num_workers`` each.

    Starts no process.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(loaders):
            DataLoader(range(8), num_workers=num_workers)
    return [str(warning.message) for warning in caught]


if __name__ == "__main__":
    cores = (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count()
    )
    for loaders, workers in ((1, cores), (8, cores), (1, cores + 1)):
        found = warnings_for(loaders, workers)
        more = " plus one" if workers > cores else ""
        print(f"{loaders} loaders, a worker per core{more}: {len(found)} warnings")
    text = found[0].split(". ")[-1].split(", ")[0]
    print(textwrap.fill(text, 80, initial_indent="    ", subsequent_indent="    "))
