import torch
from torch import Tensor


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    rows = []
    for row in logits.double():
        if temperature == 0:
            top_k = 1
        else:
            row = row / temperature
        order = row.argsort(descending=True).tolist()[:top_k]
        probs = row[order].softmax(0)
        if top_p is not None:
            mass, count = 0.0, 0
            for prob in probs.tolist():
                if mass >= top_p and top_p < 1:
                    break
                mass += prob
                count += 1
            order, probs = order[:count], probs[:count] / mass
        full = torch.zeros_like(row)
        full[order] = probs
        rows.append(full.float())
    return torch.stack(rows)
