from collections.abc import Callable

import torch
from torch import Tensor


def moe(
    x: Tensor, w_gate: Tensor, experts: list[Callable[[Tensor], Tensor]], k: int
) -> tuple[Tensor, Tensor]:
    """A sparse mixture-of-experts layer, and its load-balancing loss.

    Args:
        x: (N, C), one row per token, at least one row.
        w_gate: (E, C), the router without a bias. E is the number of experts.
        experts: each maps (n, C) to (n, C), row by row.
        k: how many experts each token uses.

    Returns:
        y: (N, C), dtype of x. For each token the sum over its k experts of gate
            times expert(token). The k experts are those of the largest router
            probability (softmax over all E); the gates are these probabilities
            divided by their sum.
        aux: a scalar, E * sum over e of f_e * P_e. f_e is the share of all N * k
            choices that fell on expert e, a constant. P_e is the mean over the
            tokens of the router probability of e, and carries the gradient.

    Cost:
        Each expert is called at most once, with the tokens that chose it, in their
        order. One that no token chose is not called, or with no rows.

    Raises:
        ValueError: k is not between 1 and E.
    """
    raise NotImplementedError
