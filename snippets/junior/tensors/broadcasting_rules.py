import torch


def broadcast_shape(
    left: tuple[int, ...], right: tuple[int, ...]
) -> tuple[int, ...]:
    """Shape of ``left + right`` by the rules of broadcasting.

    Raises:
        ValueError: two sizes meet that differ, and neither is 1.
    """
    ndim = max(len(left), len(right))
    left = (1,) * (ndim - len(left)) + left
    right = (1,) * (ndim - len(right)) + right
    shape = []
    for a, b in zip(left, right):
        if a != b and a != 1 and b != 1:
            raise ValueError(f"{a} meets {b}")
        shape.append(b if a == 1 else a)
    return tuple(shape)


if __name__ == "__main__":
    for left, right in [
        ((4, 3), (3,)),
        ((4, 3), (4,)),
        ((4, 3), (4, 1)),
        ((4, 1), (4,)),
        ((4, 1), (0,)),
    ]:
        try:
            by_torch = tuple((torch.zeros(left) + torch.zeros(right)).shape)
            rules = broadcast_shape(left, right)
        except RuntimeError as error:
            by_torch, rules = type(error).__name__, "no shape"
        print(f"{left} + {right!s:6} -> {by_torch!s:12} by the rules: {rules}")
