from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


class Batch(NamedTuple):
    """B sentences, padded to T, the length of the longest one in this batch."""

    tokens: torch.Tensor  # (B, T), the dtype of the samples
    mask: torch.Tensor  # (B, T), bool, True where there is a token
    lengths: torch.Tensor  # (B,), int64


def pad_batch(samples: Sequence[torch.Tensor], padding_value: int = 0) -> Batch:
    """Collate 1-D tensors of any lengths. Without a sample: RuntimeError."""
    tokens = pad_sequence(samples, batch_first=True, padding_value=padding_value)
    lengths = torch.tensor([len(sample) for sample in samples])
    is_token = torch.arange(tokens.shape[1]) < lengths.unsqueeze(1)
    return Batch(tokens, is_token, lengths)


if __name__ == "__main__":
    sentences = [torch.arange(1, length + 1) for length in (2, 6, 3, 1, 4)]
    torch.manual_seed(0)
    loader = DataLoader(sentences, batch_size=2, shuffle=True, collate_fn=pad_batch)
    for epoch in (1, 2):
        for batch in loader:
            print(f"epoch {epoch}: lengths {batch.lengths.tolist()}")
            print(f"    {batch.tokens.tolist()}")
