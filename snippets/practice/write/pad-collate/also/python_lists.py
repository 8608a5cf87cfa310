import torch


def collate(batch, pad_id, max_len=None):
    rows = []
    for sequence in batch:
        tokens = (
            sequence.tolist()
            if isinstance(sequence, torch.Tensor)
            else list(sequence)
        )
        rows.append(tokens[: len(tokens) if max_len is None else max_len])
    gaps = [max(map(len, rows)) - len(row) for row in rows]

    def filled(value, dtype):
        return torch.tensor(
            [row + [value] * gap for row, gap in zip(rows, gaps)], dtype=dtype
        )

    real = [[True] * len(row) + [False] * gap for row, gap in zip(rows, gaps)]
    return {
        "input_ids": filled(pad_id, torch.int64),
        "attention_mask": torch.tensor(real, dtype=torch.bool),
        "labels": filled(-100, torch.int64),
    }
