import torch
from torch import Tensor


def chat_batch(
    chats: list[list[tuple[str, list[int]]]],
    start: dict[str, int],
    end: int,
    pad: int,
    max_length: int,
) -> tuple[Tensor, Tensor, Tensor]:
    rows = []
    for chat in chats:
        tokens, labels = [], []
        for role, content in chat:
            said = [*content, end]
            tokens += [start[role], *said]
            labels += [-100, *(said if role == "assistant" else [-100] * len(said))]
        tokens, labels = tokens[:max_length], labels[:max_length]
        if any(label != -100 for label in labels):
            rows.append((tokens, labels))
    if not rows:
        raise ValueError("no token of any chat is in the loss")
    T = max(len(tokens) for tokens, _ in rows)
    padded = [
        (
            tokens + [pad] * (T - len(tokens)),
            labels + [-100] * (T - len(tokens)),
            [t < len(tokens) for t in range(T)],
        )
        for tokens, labels in rows
    ]
    tokens, labels, mask = zip(*padded)
    return torch.tensor(tokens), torch.tensor(labels), torch.tensor(mask)
