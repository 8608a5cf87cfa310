from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def collate(
    batch: list[Sequence[int] | Tensor], pad_id: int, max_len: int | None = None
) -> dict[str, Tensor]:
    """Make one batch of token sequences of different lengths.

    Args:
        batch: B >= 1 sequences of token ids (0 or more), each a list or an int64
            tensor (length,). They belong to the data set and are not changed.
        pad_id: what to pad input_ids with. It may also occur as a real token.
        max_len: if given (1 or more), only the first max_len tokens of a sequence
            count.

    Returns:
        Three tensors (B, L). L is the length of the batch's longest sequence,
        after cutting. Padding is on the right. None shares memory with another
        one or with the batch.
        "input_ids": int64, the tokens.
        "attention_mask": bool, True where a token is real.
        "labels": int64, the tokens, and -100 at padding. The loss shifts them.
    """
    raise NotImplementedError
