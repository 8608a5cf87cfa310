import torch
from torch import Tensor, nn


def generate(
    model: nn.Module,
    prompts: list[list[int]],
    max_new: int,
    end: int,
    pad: int,
) -> list[list[int]]:
    """Continue a batch of prompts greedily, without a cache.

    model(tokens, positions, mask) returns logits (B, T, V) of a causal model. Its
    parameters and your tensors are on the CPU.

        tokens: (B, T) int64.
        positions: (B, T) int64, the place of each token in its own text, from 0. At
            the padding, any from 0 to T - 1.
        mask: (B, T) bool, False at the padding. No query sees such a key.

    The model may have dropout, so it is called in evaluation mode. No graph is
    made. Afterwards each of its modules is in the mode in which it was. Each call
    costs time: make no more of them than the text needs that gets most tokens.

    Args:
        prompts: one or more, of different lengths, each with at least one token.
            They may hold end and pad like any other token.
        max_new: at least 0: how many tokens a text gets, at most.
        end: ends a text.
        pad: fills the rows. It may be the same token as end.

    Returns:
        For each prompt its new tokens, as if it had been alone: up to max_new, the
        last of which is end if the text ended.
    """
    raise NotImplementedError
