import torch

MOD, BASE = 2**31 - 1, 1_000_003


def window_hashes(
    tokens: torch.Tensor, k: int, base: int = BASE, mod: int = MOD
) -> torch.Tensor:
    """Polynomial hash of every window of k tokens, in about log2(k) steps.

    Args:
        tokens: integers of any dtype, shape (..., n), entries in 0 .. mod - 1.
        k: window length, 1 .. n.
        base: 1 .. mod - 1.
        mod: 2 .. 2**31 - 1, so that no product leaves int64.

    Returns:
        int64, shape (..., n - k + 1), entries in 0 .. mod - 1. Equal windows have
        equal hashes; unequal ones rarely do.
    """
    tokens = tokens.long()  # products of smaller integers would wrap around
    count, done = tokens.shape[-1] - k + 1, 0
    result = torch.zeros_like(tokens[..., :count])
    block, weight, length = tokens, base, 1  # hashes of windows of ``length``
    while done < k:
        if k & length:
            part = block[..., done : done + count]
            result = (result * weight + part) % mod
            done += length
        if done < k:
            block = (block[..., :-length] * weight + block[..., length:]) % mod
            weight, length = weight * weight % mod, 2 * length
    return result


def jaccard(a: torch.Tensor, b: torch.Tensor, k: int) -> float:
    """Share of the distinct k-grams of two documents that both have, by hash.

    Args:
        a: int64, shape (n,) with n at least k; b: likewise.
    """
    a, b = window_hashes(a, k).unique(), window_hashes(b, k).unique()
    common = torch.isin(a, b, assume_unique=True).sum().item()
    return common / (len(a) + len(b) - common)


if __name__ == "__main__":
    texts = (
        "Gradients add up until they are cleared, so clear them in each step.",
        "Gradients add up until they are cleared, so reset them in each step.",
        "A view shares memory with its base, so a write shows in both of them.",
    )
    first, *others = (torch.tensor(list(text.encode())) for text in texts)
    for other in others:
        print([round(jaccard(first, other, k), 2) for k in (1, 5, 9)])
