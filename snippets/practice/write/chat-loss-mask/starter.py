import torch
from torch import Tensor


def chat_batch(
    chats: list[list[tuple[str, list[int]]]],
    start: dict[str, int],
    end: int,
    pad: int,
    max_length: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """Tokens, labels and mask of chats, to train on what the assistant writes.

    A message becomes the start token of its role, its content, and the end token.
    Its content and its end token are in the loss if the assistant wrote it. Of a
    chat of more than max_length tokens the first max_length are kept. A chat of
    which then no token is in the loss is left out.

    Args:
        chats: for each the messages, each a role and the tokens of its content.
            Content may be empty, and may have any token in it: a user can type what
            looks like a start, an end, or padding.
        start: the start token of each role. One of the roles is "assistant".
        end: stands behind each message.
        pad: fills the shorter rows on the right. It may be the same token as end.
        max_length: at least 1.

    Returns:
        tokens: (B, T) int64, with T the length of the longest chat that is left.
        labels: (B, T) int64. The token itself where it is in the loss, else -100.
            They are not shifted: the model's loss does that.
        mask: (B, T) bool, True except at the padding.

    Raises:
        ValueError: no chat is left.
    """
    raise NotImplementedError
