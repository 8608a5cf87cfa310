import torch


def stack(tensors: list[torch.Tensor], dim: int = 0) -> torch.Tensor:
    """``torch.stack`` made of ``torch.cat``: a new dimension of size 1, then join.

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
    for dim in (0, 1, 2, -1):
        same = torch.equal(stack([a, b], dim), torch.stack([a, b], dim))
        print(f"dim={dim:2}  equal to torch.stack: {same}")
