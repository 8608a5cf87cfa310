import torch
from torch import Tensor


def chat_batch(
    chats: list[list[tuple[str, list[int]]]],
    start: dict[str, int],
    end: int,
    pad: int,
    max_length: int,
) -> tuple[Tensor, Tensor, Tensor]:
    def pieces(chat):
        for role, content in chat:
            yield start[role], -100
            for token in (*content, end):
                yield token, token if role == "assistant" else -100

    rows = [list(pieces(chat))[:max_length] for chat in chats]
    rows = [row for row in rows if {label for _, label in row} - {-100}]
    if not rows:
        raise ValueError("nothing to train on")
    size = len(rows), max(map(len, rows))
    tokens = torch.full(size, pad, dtype=torch.int64)
    labels = torch.full(size, -100, dtype=torch.int64)
    mask = torch.zeros(size, dtype=torch.bool)
    for i, row in enumerate(rows):
        both = torch.tensor(row)
        tokens[i, : len(row)], labels[i, : len(row)] = both.T
        mask[i, : len(row)] = True
    return tokens, labels, mask
