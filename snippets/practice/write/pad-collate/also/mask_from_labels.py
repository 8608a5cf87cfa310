import torch
from torch.nn.utils.rnn import pad_sequence


def collate(batch, pad_id, max_len=None):
    rows = [
        torch.tensor(list(row), dtype=torch.int64)[slice(0, max_len)]
        for row in batch
    ]
    labels = pad_sequence(rows, True, -100)
    mask = labels.ne(-100)
    input_ids = torch.where(mask, labels, pad_id)
    return {"input_ids": input_ids, "attention_mask": mask, "labels": labels}
