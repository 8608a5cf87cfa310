from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    RandomSampler,
    SequentialSampler,
)


def load(
    dataset: Dataset,
    batch_size: int,
    shuffle: bool,
    drop_last: bool,
    generator: torch.Generator,
    collate_fn: Callable,
) -> Iterator[Any]:
    """One epoch of batches, as DataLoader without workers gives them."""
    # DataLoader draws a seed for workers first, even if it has none.
    torch.empty((), dtype=torch.int64).random_(generator=generator)
    sampler = SequentialSampler(dataset)
    if shuffle:
        sampler = RandomSampler(dataset, generator=generator)
    for indices in BatchSampler(sampler, batch_size, drop_last):
        yield collate_fn([dataset[index] for index in indices])


if __name__ == "__main__":
    generator = torch.Generator().manual_seed(0)
    loader = DataLoader(
        range(5), 2, shuffle=True, generator=generator, collate_fn=list
    )
    for epoch in (1, 2):
        print(f"DataLoader, epoch {epoch}: {list(loader)}")
    generator.manual_seed(0)
    for epoch in (1, 2):
        batches = list(load(range(5), 2, True, False, generator, list))
        print(f"by hand,    epoch {epoch}: {batches}")
