import torch


def collate(batch, pad_id, max_len=None):
    rows = [list(map(int, row)) for row in batch]
    if max_len is not None:
        rows = [row[:max_len] for row in rows]
    longest = max(len(row) for row in rows)
    ids = torch.full((len(rows), longest), pad_id, dtype=torch.long)
    labels = torch.full((len(rows), longest), -100)
    mask = torch.zeros(len(rows), longest, dtype=torch.bool)
    for i, row in enumerate(rows):
        for j, token in enumerate(row):
            ids[i, j] = labels[i, j] = token
            mask[i, j] = True
    return {"labels": labels, "attention_mask": mask, "input_ids": ids}
