from concurrent.futures import ThreadPoolExecutor

import torch

w = torch.ones(2, requires_grad=True)


def triple(_: int) -> torch.Tensor:
    return 3 * w


def batches():
    with torch.no_grad():
        yield 3 * w


with torch.no_grad():
    print("in the block       tracked:", triple(0).requires_grad)
    with ThreadPoolExecutor() as pool:
        result = pool.submit(triple, 0).result()
    print("in another thread  tracked:", result.requires_grad)
    lazy = map(triple, range(1))
print("lazy, after it     tracked:", next(lazy).requires_grad)
for _ in batches():
    print("in a caller's loop tracked:", (3 * w).requires_grad)
