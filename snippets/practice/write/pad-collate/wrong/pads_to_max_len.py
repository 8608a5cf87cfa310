"""Every batch is padded to max_len, however short its longest sequence is."""

from collections.abc import Sequence

import torch
from torch import Tensor


def collate(
    batch: list[Sequence[int] | Tensor], pad_id: int, max_len: int | None = None
) -> dict[str, Tensor]:
    rows = [torch.as_tensor(row, dtype=torch.int64)[:max_len] for row in batch]
    longest = max_len or max(len(row) for row in rows)
    input_ids = torch.full((len(rows), longest), pad_id)
    for i, row in enumerate(rows):
        input_ids[i, : len(row)] = row
    lengths = torch.tensor([len(row) for row in rows])
    # Not input_ids != pad_id: a real token may have this id.
    mask = torch.arange(input_ids.shape[1]) < lengths[:, None]
    labels = input_ids.masked_fill(~mask, -100)
    return {"input_ids": input_ids, "attention_mask": mask, "labels": labels}
