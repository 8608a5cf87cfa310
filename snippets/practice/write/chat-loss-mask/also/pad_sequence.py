import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def chat_batch(
    chats: list[list[tuple[str, list[int]]]],
    start: dict[str, int],
    end: int,
    pad: int,
    max_length: int,
) -> tuple[Tensor, Tensor, Tensor]:
    tokens, labels = [], []
    for chat in chats:
        ids, counts = [], []
        for role, content in chat:
            ids += [start[role]] + list(content) + [end]
            counts += [False] + [role == "assistant"] * (len(content) + 1)
        row = torch.tensor(ids[:max_length], dtype=torch.int64)
        counted = torch.tensor(counts[:max_length], dtype=torch.bool)
        if counted.any():
            tokens.append(row)
            labels.append(row.masked_fill(~counted, -100))
    if not tokens:
        raise ValueError("nothing to train on")
    mask = [torch.ones(len(row), dtype=torch.bool) for row in tokens]
    return (
        pad_sequence(tokens, batch_first=True, padding_value=pad),
        pad_sequence(labels, batch_first=True, padding_value=-100),
        pad_sequence(mask, batch_first=True, padding_value=False),
    )
