"""Rows 2i and 2i + 1 are taken for a pair, but the rejected answers stand in
the second half of the batch.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def sequence_log_prob(logits: Tensor, tokens: Tensor, completion: Tensor) -> Tensor:
    log_p = logits[:, :-1].float().log_softmax(dim=-1)  # the last predicts no token
    log_p = log_p.gather(-1, tokens[:, 1:, None]).squeeze(-1)  # (2B, T - 1)
    return (log_p * completion[:, 1:]).sum(dim=-1)


def dpo_loss(
    policy_logits: Tensor,
    reference_logits: Tensor,
    tokens: Tensor,
    completion: Tensor,
    beta: float = 0.1,
) -> Tensor:
    policy = sequence_log_prob(policy_logits, tokens, completion)
    with torch.no_grad():
        reference = sequence_log_prob(reference_logits, tokens, completion)
    ratio = policy - reference
    chosen, rejected = ratio[0::2], ratio[1::2]
    return -F.logsigmoid(beta * (chosen - rejected)).mean()
