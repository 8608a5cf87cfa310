# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "recorded"
# ///
import time
import warnings

import torch


def fastest(matrix: torch.Tensor, x: torch.Tensor, runs: int = 5) -> float:
    """Seconds of the fastest of ``runs`` calls of ``matrix @ x``, warmed up by one.

    Args:
        matrix: shape (M, K), dense or sparse.
        x: shape (K, N), dense, same dtype.
    """
    matrix @ x
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        matrix @ x
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    warnings.filterwarnings(
        "ignore", message="Sparse CSR tensor support is in beta"
    )
    torch.set_num_threads(1)
    torch.manual_seed(0)
    x = torch.rand(1000, 64)
    print("matrix 1000 x 1000 times 1000 x 64, time of the dense product = 1")
    for density in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001):
        dense = torch.rand(1000, 1000)
        dense[torch.rand(1000, 1000) >= density] = 0
        base = fastest(dense, x)
        csr = fastest(dense.to_sparse_csr(), x) / base
        coo = fastest(dense.to_sparse(), x) / base
        print(f"density {density:5.3f}   CSR {csr:6.2f}   COO {coo:6.2f}")
