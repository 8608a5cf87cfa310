import torch
from torch import Tensor


def draw(
    logits: Tensor, u: Tensor, temperature: float = 1.0, top_p: float = 1.0
) -> Tensor:
    if temperature == 0:
        return logits.argmax(dim=-1)
    probs = (logits.double() / temperature).softmax(dim=-1)
    largest, order = probs.sort(dim=-1, descending=True)
    before = largest.cumsum(dim=-1) - largest
    dropped = torch.zeros_like(before).bool().scatter(1, order, before >= top_p)
    kept = probs.masked_fill(dropped, 0.0)
    total = (kept / kept.sum(dim=-1, keepdim=True)).cumsum(dim=-1)
    return (total <= u[:, None]).sum(dim=-1)
