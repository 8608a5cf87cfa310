from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, default_collate


class Batch(NamedTuple):
    """B sentences, padded to T, the length of the longest one in this batch."""

    tokens: Tensor  # (B, T), or (B, T, D) of samples (T, D)
    mask: Tensor  # (B, T), bool, True where there is a token, on their device
    lengths: Tensor  # (B,), int64, on the CPU

    def to(self, device: torch.device | str) -> "Batch":
        """The same with tokens and mask on a device."""
        return Batch(self.tokens.to(device), self.mask.to(device), self.lengths)


def pad_batch(
    samples: Sequence[Any],
    padding_value: float = 0,
    max_length: int | None = None,
    dtype: torch.dtype | None = None,
) -> Batch:
    """Collate tensors or lists of any lengths, cut to ``max_length``.

    Without ``dtype`` they keep theirs; an empty list is float32. Raises
    ValueError if these differ, and RuntimeError without a sample.
    """
    rows = [torch.as_tensor(sample, dtype=dtype)[:max_length] for sample in samples]
    if len({row.dtype for row in rows}) > 1:
        raise ValueError("the samples have several dtypes: pass the one to use")
    tokens = pad_sequence(rows, batch_first=True, padding_value=padding_value)
    lengths = torch.tensor([len(row) for row in rows])
    is_token = torch.arange(tokens.shape[1]) < lengths.unsqueeze(1)
    return Batch(tokens, is_token.to(tokens.device), lengths)


def collate(
    samples: Sequence[Any], pad: Mapping[Any, Callable[[list], Any]]
) -> dict[Any, Any] | tuple[Any, ...]:
    """Collate dicts or tuples: pad some of their fields, stack the others.

    Args:
        samples: all with the same keys, or all of the same length; a named tuple
            comes back as a plain one.
        pad: the function for a field, by its key or position: ``list`` keeps
            the values as they are. Any other field goes to ``default_collate``.

    Raises:
        ValueError: samples differ in their fields, or lack one of ``pad``.
    """
    fields = [s if isinstance(s, Mapping) else dict(enumerate(s)) for s in samples]
    keys = fields[0].keys()
    for other in (field.keys() for field in fields):
        if other != keys or not pad.keys() <= keys:
            raise ValueError(f"samples of {[*keys]} and {[*other]}, pad: {[*pad]}")
    columns = {key: [field[key] for field in fields] for key in keys}
    batch = {key: pad.get(key, default_collate)(columns[key]) for key in keys}
    return batch if isinstance(samples[0], Mapping) else tuple(batch.values())


if __name__ == "__main__":
    texts = [[5, 2, 8, 1], [7], [], [4, 3]]
    ids = partial(pad_batch, max_length=3, dtype=torch.int64)

    pairs = [(text, len(text) % 2) for text in texts]
    for batch, label in DataLoader(
        pairs, batch_size=2, collate_fn=partial(collate, pad={0: ids})
    ):
        print("pairs:", batch.tokens.tolist(), label.tolist())

    dicts = [{"ids": text, "tags": text, "weight": 0.5} for text in texts]
    pad = {"ids": ids, "tags": partial(ids, padding_value=-100)}
    for batch in DataLoader(
        dicts, batch_size=4, collate_fn=partial(collate, pad=pad)
    ):
        print("ids:   ", batch["ids"].tokens.tolist())
        print("mask:  ", batch["ids"].mask.int().tolist())
        print("tags:  ", batch["tags"].tokens.tolist())
        print("weight:", batch["weight"].tolist())
