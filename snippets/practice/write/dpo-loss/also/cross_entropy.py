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
    labels = tokens.masked_fill(~completion, -100)[:, 1:]
    both = torch.cat([policy_logits, reference_logits.detach()]).float()
    nll = F.cross_entropy(
        both[:, :-1].transpose(1, 2), labels.repeat(2, 1), reduction="none"
    ).sum(dim=1)
    pi_c, pi_r, ref_c, ref_r = -nll.reshape(4, -1)
    margin = (pi_c - pi_r) - (ref_c - ref_r)
    return F.binary_cross_entropy_with_logits(
        beta * margin, torch.ones_like(margin)
    )
