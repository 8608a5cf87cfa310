from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import torch

w = torch.ones(2, requires_grad=True)


def work(_: int) -> torch.Tensor:
    return 3 * w


def block_around_yield() -> Iterator[torch.Tensor]:
    with torch.no_grad():
        yield 3 * w


@torch.no_grad()
def decorated() -> Iterator[torch.Tensor]:
    yield 3 * w


print("inside the block               tracked")
with torch.no_grad():
    print(f"computed at once               {work(0).requires_grad}")
    lazy = map(work, range(1))
    with ThreadPoolExecutor() as pool:
        other = pool.submit(work, 0).result()
    print(f"computed by another thread     {other.requires_grad}")
    parameter = torch.nn.Parameter(3 * w)
    print(f"nn.Parameter(3 * w)            {parameter.requires_grad}")
print(f"lazy, computed after the block {next(lazy).requires_grad}")

print("in the caller's loop           tracked")
for _ in block_around_yield():
    print(f"over a block around a yield    {(3 * w).requires_grad}")
for _ in decorated():
    print(f"over a decorated generator     {(3 * w).requires_grad}")
