import os
import warnings

from torch.utils.data import DataLoader


def warnings_for(loaders: int, num_workers: int) -> list[str]:
    """What building so many loaders, each with so many workers, warns of. Starts no process."""
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
    print(
        f"1 loader,  a worker per core:           {len(warnings_for(1, cores))} warnings"
    )
    print(
        f"8 loaders, a worker per core each:      {len(warnings_for(8, cores))} warnings"
    )
    one_more = warnings_for(1, cores + 1)
    print(f"1 loader,  a worker per core, plus one: {len(one_more)} warning")
    print(f"    {one_more[0].split('. ')[-1].split(', ')[0]}")
