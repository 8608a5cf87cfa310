import torch


def noise_scale(
    small: torch.Tensor, large: torch.Tensor, b_small: int, b_large: int
) -> tuple[float, float, float]:
    """The simple noise scale from gradients at two batch sizes.

    Args:
        small, large: gradients of mean losses at the same weights, (number, P).
            Several of each: the two estimates below are means over them.
        b_small, b_large: samples behind each, ``b_small < b_large``.

    Returns:
        Estimates of the squared length of the true gradient, of the trace of the
        covariance of one sample's gradient, and of trace / length.

    Raises:
        ValueError: the sizes are not in order, or an estimate is no length or no
            variance, because there are too few gradients, or one has a NaN.
    """
    if not 0 < b_small < b_large:
        raise ValueError("b_small must be positive and below b_large")
    in_small, in_large = (
        g.double().square().sum(dim=1).mean().item() for g in (small, large)
    )
    length = (b_large * in_large - b_small * in_small) / (b_large - b_small)
    trace = (in_small - in_large) / (1 / b_small - 1 / b_large)
    if not length > 0 or not trace >= 0:
        raise ValueError(f"squared length {length:.3g} and trace {trace:.3g}")
    return length, trace, trace / length


def gradients(distance: float, b: int, count: int, seed: int) -> torch.Tensor:
    """Of a linear regression in 20 dimensions, at a distance from its solution."""
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(count, b, 20, generator=g, dtype=torch.float64)
    noise = torch.randn(count, b, generator=g, dtype=torch.float64)
    residual = distance * x[:, :, 0] - noise
    return (residual.unsqueeze(2) * x).mean(dim=1)


if __name__ == "__main__":
    print("distance   exact   8 and 64, 500 each   8 and 64, 4 each, five times")
    for distance in (4.0, 2.0, 1.0, 0.5):
        # covariance: distance**2 * (I + e e') + I, gradient: distance * e
        exact = (21 * distance**2 + 20) / distance**2
        cells = []
        for count, seeds in ((500, range(1)), (4, range(1, 6))):
            for seed in seeds:
                small, large = (
                    gradients(distance, b, count, seed) for b in (8, 64)
                )
                try:
                    cells.append(f"{noise_scale(small, large, 8, 64)[2]:5.0f}")
                except ValueError:
                    cells.append("    -")
        print(f"{distance:8} {exact:7.0f} {cells[0]:>12}        ", *cells[1:])
