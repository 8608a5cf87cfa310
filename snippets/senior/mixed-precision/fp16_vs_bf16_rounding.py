import torch


def stochastic_bfloat16(x: torch.Tensor) -> torch.Tensor:
    """Round float32 to one of the two bfloat16 neighbors, at random.

    The nearer neighbor is more likely, so the mean of many roundings is x.
    x: finite float32, any shape, below 3.3e38. Returns bfloat16, same shape.
    """
    noise = torch.randint(0, 1 << 16, x.shape, dtype=torch.int32, device=x.device)
    return ((x.view(torch.int32) + noise) & -65536).view(torch.float32).bfloat16()


if __name__ == "__main__":
    torch.manual_seed(0)
    nearest = torch.ones(10_000, dtype=torch.bfloat16)
    random = nearest.clone()
    for _ in range(100):  # subtract 0.1 in 100 steps
        nearest = (nearest.float() - 0.001).bfloat16()
        random = stochastic_bfloat16(random.float() - 0.001)
    print(f"to nearest:   mean {nearest.float().mean():.2f}")
    print(f"stochastic:   mean {random.float().mean():.2f}")
