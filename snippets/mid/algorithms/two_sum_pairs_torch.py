import torch


def pairs_within(
    values: torch.Tensor, target: float, tolerance: float = 0.0
) -> torch.Tensor:
    """Index pairs i < j with abs(values[i] + values[j] - target) <= tolerance.

    The sum and the comparison are in float64. Time O(n log n + p log p), memory
    O(n + p), with p the pairs within the tolerance and a rounding error of it.

    Args:
        values: shape (n,); integers at most 2**51 in absolute value. NaN and
            infinity have no partner.
        target: finite. tolerance: finite, at least 0.

    Returns:
        int64, shape (pairs, 2), sorted.
    """
    finite = values.isfinite().nonzero().flatten()  # NaN would mislead searchsorted
    s, order = values[finite].double().sort()
    at = torch.arange(len(s), device=s.device)
    slack = 1e-15 * (s.abs() + abs(target) + tolerance)  # for rounding; see keep
    low = torch.searchsorted(s, target - tolerance - slack - s)
    high = torch.searchsorted(s, target + tolerance + slack - s, right=True)
    low = torch.maximum(low, at + 1)  # each pair once, and no index with itself
    counts = (high - low).clamp(min=0)
    first = at.repeat_interleave(counts)
    start = (counts.cumsum(0) - counts).repeat_interleave(counts)
    second = low[first] + torch.arange(len(first), device=s.device) - start
    keep = (s[first] + s[second] - target).abs() <= tolerance
    pairs = finite[torch.stack([order[first], order[second]], dim=1)[keep]]
    pairs = pairs.sort(dim=1).values
    return pairs[(pairs[:, 0] * len(values) + pairs[:, 1]).argsort()]


if __name__ == "__main__":
    values = torch.tensor([0.1, 0.7, 0.2, 0.2, -0.4])
    print("exact      ", pairs_within(values, 0.3).tolist())
    print("within 1e-6", pairs_within(values, 0.3, 1e-6).tolist())
    print("one value  ", pairs_within(values[:1], 0.2, 1e-6).tolist())
