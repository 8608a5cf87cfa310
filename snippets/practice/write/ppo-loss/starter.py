import torch
from torch import Tensor


def ppo_loss(
    log_p: Tensor,
    old_log_p: Tensor,
    values: Tensor,
    old_values: Tensor,
    last_values: Tensor,
    rewards: Tensor,
    mask: Tensor,
    gamma: float = 1.0,
    lam: float = 0.95,
    clip: float = 0.2,
    value_coef: float = 0.5,
) -> Tensor:
    """Proximal policy optimization of B answers with up to T tokens.

    Args:
        log_p, old_log_p: (B, T) float32, the log-probability of each token under
            the policy, and under the one that sampled the answers.
        values, old_values: (B, T) float32, what the critic expects before each
            token, now and when the answers were sampled.
        last_values: (B,) float32, what it expected behind the last token of an
            answer that was cut off. 0 where the answer ended by itself.
        rewards: (B, T) float32, for each token.
        mask: (B, T) bool, True for the first n >= 1 tokens of a row. Behind them,
            rewards and values are any finite numbers, log-probabilities any from
            -20 to 0.

    With t + 1 the next token of the answer, and the last value behind the last one:

        delta_t = reward_t + gamma * old_value_(t + 1) - old_value_t
        gae_t = delta_t + gamma * lam * gae_(t + 1)
        target_t = gae_t + old_value_t
        A_t = (gae_t - mean) / (std + 1e-4)

    where mean and std (the population's: divided by n) are those of all tokens of
    the batch.

    Returns:
        0-dim: the mean over all tokens of the batch of

            -min(ratio * A, clamp(ratio, 1 - clip, 1 + clip) * A)
                + value_coef * (value - target)^2

        with ratio = exp(log_p - old_log_p). The gradient reaches log_p and values
        and nothing else.
    """
    raise NotImplementedError
