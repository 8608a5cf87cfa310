import math

import torch
from torch import Tensor


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    if temperature == 0:
        return torch.nn.functional.one_hot(
            logits.argmax(-1), logits.shape[-1]
        ).float()
    logits = logits.float() / temperature
    if top_k is not None:
        kth = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = torch.sort(logits, dim=-1, descending=True)
        crossed = ordered.softmax(-1).cumsum(-1) > top_p
        dropped = torch.zeros_like(crossed)
        dropped[:, 1:] = crossed[:, :-1]  # the token that crosses is kept
        dropped = torch.zeros_like(dropped).scatter_(1, order, dropped)
        logits = logits.masked_fill(dropped, -math.inf)
    return logits.softmax(-1)
