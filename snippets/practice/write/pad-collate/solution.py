from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def collate(
    batch: list[Sequence[int] | Tensor], pad_id: int, max_len: int | None = None
) -> dict[str, Tensor]:
    rows = [torch.as_tensor(row, dtype=torch.int64)[:max_len] for row in batch]
    input_ids = pad_sequence(rows, batch_first=True, padding_value=pad_id)
    lengths = torch.tensor([len(row) for row in rows])
    # Not input_ids != pad_id: a real token may have this id.
    mask = torch.arange(input_ids.shape[1]) < lengths[:, None]
    labels = input_ids.masked_fill(~mask, -100)
    return {"input_ids": input_ids, "attention_mask": mask, "labels": labels}
