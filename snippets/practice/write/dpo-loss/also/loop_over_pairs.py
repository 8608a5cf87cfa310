import torch
import torch.nn.functional as F
from torch import Tensor


def dpo_loss(
    policy_logits: Tensor,
    reference_logits: Tensor,
    tokens: Tensor,
    completion: Tensor,
    beta: float = 0.1,
) -> Tensor:
    pairs = tokens.shape[0] // 2

    def score(logits, row):
        where = completion[row].nonzero().squeeze(1)
        rows = logits[row, where - 1].float()
        picked = rows[
            torch.arange(len(where), device=rows.device), tokens[row, where]
        ]
        return (picked - torch.logsumexp(rows, dim=-1)).sum()

    total = 0.0
    for i in range(pairs):
        win, lose = i, pairs + i
        policy = score(policy_logits, win) - score(policy_logits, lose)
        with torch.no_grad():
            base = score(reference_logits, win) - score(reference_logits, lose)
        total = total - F.logsigmoid(beta * (policy - base))
    return total / pairs
