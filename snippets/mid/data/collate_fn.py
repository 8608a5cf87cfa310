from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    RandomSampler,
    SequentialSampler,
)


class Batch(NamedTuple):
    """B sentences, padded to T, the length of the longest one in this batch."""

    tokens: torch.Tensor  # (B, T), the dtype of the samples
    mask: torch.Tensor  # (B, T), bool, True where there is a token
    lengths: torch.Tensor  # (B,), int64


def pad_batch(samples: Sequence[torch.Tensor], padding_value: int = 0) -> Batch:
    """Collate 1-D tensors of any lengths. Raises RuntimeError: there is no sample."""
    tokens = pad_sequence(samples, batch_first=True, padding_value=padding_value)
    lengths = torch.tensor([len(sample) for sample in samples])
    is_token = torch.arange(tokens.shape[1]) < lengths.unsqueeze(1)
    return Batch(tokens, is_token, lengths)


def load(
    dataset: Dataset,
    batch_size: int,
    shuffle: bool,
    drop_last: bool,
    generator: torch.Generator,
    collate_fn: Callable,
) -> Iterator[Any]:
    """One epoch of batches: what DataLoader does when it has no workers."""
    # DataLoader draws a seed for workers first.
    torch.empty((), dtype=torch.int64).random_(generator=generator)
    sampler = (
        RandomSampler(dataset, generator=generator)
        if shuffle
        else SequentialSampler(dataset)
    )
    for indices in BatchSampler(sampler, batch_size, drop_last):
        yield collate_fn([dataset[index] for index in indices])


if __name__ == "__main__":
    sentences = [torch.arange(1, length + 1) for length in (2, 6, 3, 1, 4)]
    generator = torch.Generator().manual_seed(0)
    loader = DataLoader(
        sentences,
        batch_size=2,
        shuffle=True,
        generator=generator,
        collate_fn=pad_batch,
    )
    for epoch in (1, 2):
        for batch in loader:
            print(
                f"epoch {epoch}: lengths {str(batch.lengths.tolist()):7} tokens {batch.tokens.tolist()}"
            )

    generator.manual_seed(0)
    from_loader = [batch for _ in range(2) for batch in loader]
    generator.manual_seed(0)
    by_hand = [
        batch
        for _ in range(2)
        for batch in load(sentences, 2, True, False, generator, pad_batch)
    ]
    same = all(
        torch.equal(a.tokens, b.tokens)
        for a, b in zip(from_loader, by_hand, strict=True)
    )
    print(f"DataLoader and the function load() give the same batches: {same}")
