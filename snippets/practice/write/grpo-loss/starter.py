import torch
from torch import Tensor


def grpo_loss(
    log_p: Tensor,
    old_log_p: Tensor,
    ref_log_p: Tensor,
    rewards: Tensor,
    mask: Tensor,
    clip: float = 0.2,
    beta: float = 0.04,
) -> Tensor:
    """Group relative policy optimization, with G answers to each of P prompts.

    The advantage of an answer is (reward - mean) / (std + 1e-4), with the mean and
    the sample standard deviation (n - 1) of the rewards of its prompt's G answers.
    The objective of a token is

        min(ratio * A, clamp(ratio, 1 - clip, 1 + clip) * A) - beta * kl

    with ratio = exp(log_p - old) and kl = exp(ref - log_p) - (ref - log_p) - 1.

    Args:
        log_p: (P, G, T) float32, the log-probability of each token.
        old_log_p: (P, G, T), under the policy that sampled the answers.
        ref_log_p: (P, G, T), under the reference model.
        rewards: (P, G) float32, with G >= 2.
        mask: (P, G, T) bool, True where a token belongs to an answer. Each answer
            has at least one, and there may be holes between them. Elsewhere the
            log-probabilities are any numbers from -20 to 0.

    Returns:
        0-dim: minus the mean over the P * G answers of the mean over each answer's
        own tokens of the objective. The gradient reaches log_p and nothing else.
    """
    raise NotImplementedError
