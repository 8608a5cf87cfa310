import torch


def windows(x: torch.Tensor, size: int) -> torch.Tensor:
    """All windows of ``size`` neighbors, without a copy.

    Args:
        x: shape (N,), any strided dtype and stride.
        size: 1 to N.

    Returns:
        A view of shape (N - size + 1, size). Its rows overlap in memory: read it,
        and clone it before you write.

    Raises:
        ValueError: ``x`` is not one-dimensional, or ``size`` does not fit.
    """
    if x.dim() != 1 or not 1 <= size <= len(x):
        raise ValueError(f"no windows of {size} in shape {tuple(x.shape)}")
    return x.as_strided((len(x) - size + 1, size), (x.stride(0), x.stride(0)))


if __name__ == "__main__":
    x = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0])
    w = windows(x, 3)
    print(w.tolist(), "strides", w.stride())
    print("moving mean:", [round(mean, 2) for mean in w.mean(1).tolist()])
    print("same as unfold:", torch.equal(w, x.unfold(0, 3, 1)))
    print(
        "storage, bytes:", w.untyped_storage().nbytes(), "clone:", w.clone().nbytes
    )
    w += 1
    print("x after w += 1:", x.tolist())
