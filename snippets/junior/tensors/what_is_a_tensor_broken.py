from collections.abc import Iterator

import numpy as np
import torch


def read_samples(count: int, dtype: type) -> Iterator[np.ndarray]:
    """Yield ``count`` samples, shape (2,), one after the other in one buffer."""
    buffer = np.empty(2, dtype=dtype)
    for number in range(1, count + 1):
        buffer.fill(number)
        yield buffer


def load(count: int, dtype: type) -> torch.Tensor:
    """Stack the samples into a float32 tensor, shape (count, 2).

    Wrong on purpose: the samples can share the reader's buffer.
    """
    samples = [
        torch.from_numpy(sample).float() for sample in read_samples(count, dtype)
    ]
    return torch.stack(samples)


if __name__ == "__main__":
    for dtype in (np.float64, np.float32):
        print(f"reader returns {dtype.__name__}: {load(3, dtype).tolist()}")
