import torch
from torch import Tensor


def draw(
    logits: Tensor, u: Tensor, temperature: float = 1.0, top_p: float = 1.0
) -> Tensor:
    if temperature == 0:
        return logits.max(dim=-1).indices
    probs = torch.softmax(logits.double() / temperature, dim=-1)
    order = probs.argsort(dim=-1, descending=True)
    mass = probs.gather(1, order).cumsum(dim=-1)
    # How many tokens it takes to reach top_p, per row.
    many = (mass < top_p).sum(dim=-1, keepdim=True) + 1
    place = torch.empty_like(order).scatter_(
        1, order, torch.arange(order.shape[1], device=order.device).expand_as(order)
    )
    kept = torch.where(place < many, probs, 0.0)
    edges = kept.cumsum(dim=-1)
    wanted = u.double() * edges[:, -1]
    return torch.searchsorted(edges, wanted[:, None], right=True)[:, 0]
