"""The reference runs with a graph, so its logits get a gradient and it would be
trained, too.
"""

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
    reference = sequence_log_prob(reference_logits, tokens, completion)
    chosen, rejected = (policy - reference).chunk(2)
    return -F.logsigmoid(beta * (chosen - rejected)).mean()
