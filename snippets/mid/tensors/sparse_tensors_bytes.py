# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import warnings

import matplotlib.pyplot as plt
import torch


def sparse_bytes(tensor: torch.Tensor) -> int:
    """Bytes of the indices and values of a coalesced COO or a CSR tensor.

    Raises:
        ValueError: another layout.
    """
    if tensor.layout == torch.sparse_coo:
        return tensor.indices().nbytes + tensor.values().nbytes
    if tensor.layout == torch.sparse_csr:
        index_bytes = tensor.crow_indices().nbytes + tensor.col_indices().nbytes
        return index_bytes + tensor.values().nbytes
    raise ValueError(f"no COO and no CSR tensor: {tensor.layout}")


if __name__ == "__main__":
    warnings.filterwarnings(
        "ignore", message="Sparse CSR tensor support is in beta"
    )
    torch.manual_seed(0)
    size = 200
    order = torch.randperm(size * size)
    densities = [percent / 100 for percent in range(0, 51)]
    shares: dict[str, list[float]] = {"COO": [], "CSR": []}
    for density in densities:
        dense = torch.zeros(size * size)
        dense[order[: round(density * size * size)]] = 1
        dense = dense.view(size, size)
        for name, sparse in (
            ("COO", dense.to_sparse()),
            ("CSR", dense.to_sparse_csr()),
        ):
            shares[name].append(sparse_bytes(sparse) / dense.nbytes)
    for name, share in shares.items():
        smaller = max(d for d, s in zip(densities, share) if s < 1)
        print(f"{name} is smaller than dense up to a density of {smaller:.2f}")
        plt.plot([100 * d for d in densities], share, label=name)
    plt.plot([0, 50], [1, 1], label="dense")
    plt.xlabel("nonzero elements in %, float32, 200 x 200")
    plt.ylabel("bytes, dense = 1")
    plt.legend()
    plt.show()
