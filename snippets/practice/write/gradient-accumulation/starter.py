import torch
import torch.nn.functional as F
from torch import Tensor, nn


def accumulated_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    micro_batches: list[tuple[Tensor, Tensor]],
    ignore_index: int = -100,
) -> float:
    """One optimizer step over several micro-batches of a language model.

    Args:
        model: maps inputs (b, T) to logits (b, T, V).
        optimizer: of the parameters of model. Old gradients may still be there.
        micro_batches: pairs of inputs and targets, (b, T) int64 each. b and T may
            differ from pair to pair, and both may be slices of longer rows.
            Targets equal to ignore_index do not count.

    Effect:
        One step of the optimizer, with the gradient of the mean loss over all
        tokens that count, of all micro-batches together. Only one micro-batch's
        graph is alive at a time. A micro-batch may have no token that counts. If
        none has any, no NaN reaches the parameters; a step is then left open.

    Returns:
        That mean loss, and 0.0 if no token counts.
    """
    raise NotImplementedError
