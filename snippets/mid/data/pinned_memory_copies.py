# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "cuda"
# output = "recorded"
# ///
import time

import torch


def host_share(host: torch.Tensor, non_blocking: bool) -> tuple[float, float]:
    """Copy ``host``, float32, to the GPU.

    Returns:
        Share of the copy's time after which the call has returned, 0 to 1, and
        gigabytes per second.
    """
    device = torch.empty(host.shape, device="cuda")
    torch.cuda.synchronize()
    start = time.perf_counter()
    device.copy_(host, non_blocking=non_blocking)
    returned = time.perf_counter() - start
    torch.cuda.synchronize()
    done = time.perf_counter() - start
    return returned / done, host.nbytes / done / 1e9


def overwritten(host: torch.Tensor, non_blocking: bool) -> float:
    """First number on the GPU if ``host`` is filled with 9 after the call.

    ``host`` is float32. The copy waits in the stream behind fifty matmuls.
    """
    x = torch.randn(4096, 4096, device="cuda") / 64
    device = torch.empty(host.shape, device="cuda")
    torch.cuda.synchronize()
    y = x
    for _ in range(50):
        y = x @ y
    device.copy_(host, non_blocking=non_blocking)
    host.fill_(9.0)
    return device[0].item()


if __name__ == "__main__":
    if not torch.cuda.is_available():
        raise SystemExit(
            "pinned_memory_copies.py needs a CUDA GPU: "
            "torch.cuda.is_available() is False"
        )
    for pinned in (False, True):
        for non_blocking in (False, True):
            host = torch.ones(64 * 2**20, pin_memory=pinned)  # 256 MiB
            host_share(host, non_blocking)  # the first copy also sets things up
            share, speed = host_share(host, non_blocking)
            arrived = overwritten(host, non_blocking)
            print(f"pinned={pinned!s:6} non_blocking={non_blocking}")
            print(
                f"    returned after {100 * share:3.0f} % of the copy, "
                f"{speed:5.1f} GB/s, arrived: {arrived}"
            )
