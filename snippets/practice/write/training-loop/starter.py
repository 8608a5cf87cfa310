from collections.abc import Callable, Iterable

import torch
from torch import nn


def train_epoch(
    model: nn.Module,
    loader: Iterable,
    loss_fn: Callable,
    optimizer: torch.optim.Optimizer,
    max_norm: float | None = None,
) -> float:
    """Train for one epoch, with one step of the optimizer per batch.

    Args:
        model: maps x to logits (B, K). It may be in either mode, and gradients of
            an earlier backward pass may be left in it: they must not count.
        loader: yields pairs of x (B, ...) and class indices y (B,), at least one
            and on the model's device; may be iterated only once. The last batch
            may be smaller.
        loss_fn: loss_fn(logits, y) is the mean loss of the batch.
        optimizer: has all parameters of the model, in one group or in several.
        max_norm: if given, each step's total gradient norm is clipped to it.

    Returns:
        The mean of the training losses over all examples, as a Python float. The
        graphs of earlier batches are not kept for it.
    """
    raise NotImplementedError


def evaluate(
    model: nn.Module, loader: Iterable, loss_fn: Callable
) -> tuple[float, float]:
    """Measure a model in evaluation mode, without building a graph.

    Changes nothing: no parameter, gradient or buffer, and afterwards the model is
    in the mode it was in. All of its modules are in one mode.

    Args: as those of train_epoch.

    Returns:
        Mean loss over all examples and accuracy, as Python floats. The prediction
        is the class with the largest logit.
    """
    raise NotImplementedError
