import torch


def stack(tensors: list[torch.Tensor], dim: int = 0) -> torch.Tensor:
    """``torch.stack`` made of ``torch.cat``: give every tensor a new dimension of size 1, then join along it.

    Args:
        tensors: all of one shape, D dimensions, any dtype.
        dim: where the new dimension goes, from -(D + 1) to D.

    Returns:
        D + 1 dimensions; size ``len(tensors)`` at ``dim``.

    Raises:
        RuntimeError: the shapes differ.
    """
    return torch.cat([tensor.unsqueeze(dim) for tensor in tensors], dim=dim)


if __name__ == "__main__":
    a, b = torch.zeros(2, 3), torch.ones(2, 3)
    for dim in (0, 1, -1):
        joined, stacked = torch.cat([a, b], dim=dim), torch.stack([a, b], dim=dim)
        same = torch.equal(stacked, stack([a, b], dim=dim))
        print(
            f"dim={dim:2}   cat {tuple(joined.shape)}   stack {tuple(stacked.shape)}   by hand equal: {same}"
        )

    last = torch.ones(1, 3)
    print(f"(2, 3) and (1, 3)   cat    {tuple(torch.cat([a, last]).shape)}")
    try:
        torch.stack([a, last])
    except RuntimeError as error:
        print(f"(2, 3) and (1, 3)   stack  RuntimeError: {error}")
