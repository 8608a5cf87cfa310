import torch
from torch import Tensor

# Each is one line, or two to four short ones, without a Python loop. Results have
# the device of the input and, unless said otherwise, its dtype. Arguments are not
# changed. Gradients flow wherever an input is floating.


def pairwise_distance(a: Tensor, b: Tensor) -> Tensor:
    """Squared Euclidean distances (N, M) of a (N, D) and b (M, D).

    None is negative, and no tensor has N * M * D elements.
    """
    raise NotImplementedError


def last_hidden(h: Tensor, lengths: Tensor) -> Tensor:
    """The vector (B, C) at each row's last real token.

    h is (B, T, C), and lengths (B,) int64 from 1 to T.
    """
    raise NotImplementedError


def segment_mean(x: Tensor, ids: Tensor, n: int) -> Tensor:
    """The mean (n, C) of the rows of x (N, C) in each segment; 0 if there is none.

    ids (N,) int64, from 0 to n - 1 in any order, says which segment a row is in.
    """
    raise NotImplementedError


def relative_bias(table: Tensor, t: int) -> Tensor:
    """The bias (H, t, t) of query i and key j, from a table (2t - 1, H).

    The bias of head h at [h, i, j] is table[i - j + t - 1, h].
    """
    raise NotImplementedError


def packed_mask(doc: Tensor) -> Tensor:
    """Who may attend to whom: (B, T, T) bool, queries in rows and keys in columns.

    doc (B, T) int64 says which document a token belongs to. A token sees itself
    and the earlier tokens of its document, even if another document is between.
    """
    raise NotImplementedError


def windows(x: Tensor, size: int) -> Tensor:
    """All windows of x (B, T) along T: (B, T - size + 1, size), 1 <= size <= T.

    It is a view: it shares the memory of x, whether x is contiguous or not.
    """
    raise NotImplementedError
