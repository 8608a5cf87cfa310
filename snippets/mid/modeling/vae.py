import torch

SAMPLES, MU = 20_000, 2.0


def gradients(dims: int) -> dict[str, torch.Tensor]:
    """Estimates (SAMPLES,) of the derivative of E[|z|^2] by the first mu."""
    noise = torch.randn(SAMPLES, dims, dtype=torch.double)
    z = MU + noise
    value = z.square().sum(dim=1)
    return {
        "reparameterized": 2 * z[:, 0],  # d value / d z, because d z / d mu is 1
        "score function": value * noise[:, 0],  # value * d log density / d mu
        "with a baseline": (value - value.mean()) * noise[:, 0],
    }


if __name__ == "__main__":
    torch.manual_seed(0)
    for dims in (1, 100):
        for name, one in gradients(dims).items():
            print(f"{dims:3} dims, {name}: {one.mean():.1f} ± {one.std():.0f}")
