import math
from statistics import NormalDist


def labels_needed(
    before: float, after: float, false_alarm: float = 0.01, seen: float = 0.8
) -> int:
    """Labels after which a lower accuracy is noticed with probability ``seen``.

    One test of a mean against the known accuracy ``before``, by the normal
    approximation.

    Args:
        false_alarm: share of tests that fire although nothing changed.
    """
    z = NormalDist().inv_cdf
    noise = z(1 - false_alarm) * math.sqrt(before * (1 - before))
    noise += z(seen) * math.sqrt(after * (1 - after))
    return math.ceil((noise / (before - after)) ** 2)


def canary_requests(before: float, after: float) -> int:
    """Requests for each of two versions, to tell their error rates apart.

    Two-sided at 5%, seen in 80% of the cases.
    """
    z = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
    variance = before * (1 - before) + after * (1 - after)
    return math.ceil(z**2 * variance / (after - before) ** 2)


if __name__ == "__main__":
    print("92% -> 90%, labels a day   delay   noticed on   more wrong predictions")
    for per_day, delay in ((500, 7), (2000, 7), (500, 1), (50, 7)):
        day = math.ceil(labels_needed(0.92, 0.90) / per_day) + delay
        row = f"{per_day:24}{delay:6} d{'day':>9}{day:4}"
        print(f"{row}{0.02 * 200_000 * day:25,.0f}")
    print("\ncanary, errors      requests per version")
    for after in (0.02, 0.012):
        print(f"1.0% -> {after:.1%}{canary_requests(0.01, after):24,}")
