import torch


def unbroadcast(gradient: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    """The gradient of a tensor of ``shape`` that was broadcast.

    Args:
        gradient: of the broadcast tensor, any floating-point dtype.
        shape: of the tensor before; it must broadcast to ``gradient.shape``.

    Raises:
        ValueError: it does not.
    """
    extra = gradient.dim() - len(shape)
    padded = (1,) * extra + tuple(shape)
    fits = all(size in (1, n) for size, n in zip(padded, gradient.shape))
    if extra < 0 or not fits:
        raise ValueError(f"{shape} does not broadcast to {tuple(gradient.shape)}")
    stretched = [d for d, size in enumerate(padded) if size != gradient.shape[d]]
    if stretched:  # sum(dim=[]) would sum over all dimensions
        gradient = gradient.sum(stretched, keepdim=True)
    return gradient.reshape(shape)


if __name__ == "__main__":
    for left, right in (
        ((3, 1), (4,)),
        ((2, 3, 4), (3, 1)),
        ((), (2, 2)),
        ((5,), (5,)),
    ):
        a = torch.rand(left, dtype=torch.float64, requires_grad=True)
        b = torch.rand(right, dtype=torch.float64, requires_grad=True)
        y = a * b
        y.sin().sum().backward()
        g = y.detach().cos()  # the gradient that arrives at y
        same_a = torch.allclose(unbroadcast(g * b.detach(), a.shape), a.grad)
        same_b = torch.allclose(unbroadcast(g * a.detach(), b.shape), b.grad)
        print(f"{left!s:9} * {right!s:6} as autograd: {same_a}, {same_b}")
