import torch


def dropout(x: torch.Tensor, p: float) -> torch.Tensor:
    return x * (torch.rand_like(x) >= p) / (1 - p)


def no_factor(x: torch.Tensor, p: float) -> torch.Tensor:
    return x * (torch.rand_like(x) >= p)


torch.manual_seed(0)
for layer in dropout, no_factor:
    h = torch.ones(1_000_000)
    for _ in range(3):
        h = layer(h, p=0.5)
    factor = 1 / h.mean().item()
    print(f"{layer.__name__:9}  eval is {factor:.1f} times training")
