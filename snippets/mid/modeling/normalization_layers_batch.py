import torch
from torch import nn


def spread(norm: nn.Module, batch: int, draws: int = 200) -> float:
    """Root mean square by which one sample's output varies with its neighbors.

    Args:
        norm: for inputs of shape (N, 64), in train mode.
        batch: N; the other N - 1 samples are drawn anew for each output.
    """
    generator = torch.Generator().manual_seed(0)
    sample = torch.randn(1, 64, generator=generator)
    outputs = []
    with torch.no_grad():
        for _ in range(draws):
            others = torch.randn(batch - 1, 64, generator=generator)
            outputs.append(norm(torch.cat([sample, others]))[0])
    return torch.stack(outputs).var(dim=0).mean().sqrt().item()


if __name__ == "__main__":
    norms = {
        "BatchNorm1d": nn.BatchNorm1d(64),
        "BatchNorm1d, eval": nn.BatchNorm1d(64).eval(),
        "LayerNorm": nn.LayerNorm(64),
        "RMSNorm": nn.RMSNorm(64),
    }
    print("samples in a batch     ", *[f"{size:7}" for size in (4, 16, 64, 256)])
    for name, norm in norms.items():
        found = [spread(norm, size) for size in (4, 16, 64, 256)]
        print(f"{name:23}", *[f"{value:7.2f}" for value in found])
