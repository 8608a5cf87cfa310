import torch


def answer(x: torch.Tensor) -> torch.Tensor:
    """TODO: what it computes; shapes, dtypes, units and errors.

    Args:
        x: float32, shape (n,).
    """
    raise NotImplementedError("TODO: the smallest program whose output settles the question")


if __name__ == "__main__":
    print(answer(torch.arange(3.0)))
