# /// script
# requires-python = ">=3.11"
# dependencies = ["matplotlib>=3.8"]
# ///
from math import comb
from statistics import NormalDist

import matplotlib.pyplot as plt

NORMAL, TRAFFIC, RATE = NormalDist(), 240_000, 0.01  # requests a day, errors now
PLANS = {  # days, and the share of the traffic on each of them
    "1% for a day": [(1, 0.01)],
    "1% for 18 days": [(18, 0.01)],
    "18% for a day": [(1, 0.18)],
    "1% a day, then 18%": [(1, 0.01), (1, 0.18)],
}


def noticed(after: float, requests: float, before: float = RATE) -> float:
    """Chance to notice a rise of the error rate, at one false alarm in 40."""
    noise = (before * (1 - before) + after * (1 - after)) / requests
    return NORMAL.cdf((after - before) / noise**0.5 - NORMAL.inv_cdf(1 - 1 / 40))


def outcome(plan: list[tuple[int, float]], after: float) -> tuple[float, float]:
    """Chance that a stage notices the rise, and failures that it adds till then."""
    missed, failed = 1.0, 0.0
    for days, share in plan:
        requests = days * share * TRAFFIC
        failed += missed * requests * (after - RATE)  # a stage runs to its end
        missed *= 1 - noticed(after, requests)
    return 1 - missed, failed


def usual(requests: int, rate: float = RATE) -> tuple[int, int]:
    """The errors of 95% of all days, with one day in 40 below and one above."""
    total, ends = 0.0, []
    for errors in range(requests + 1):
        others = requests - errors
        total += comb(requests, errors) * rate**errors * (1 - rate) ** others
        if total >= (1 / 40, 39 / 40)[len(ends)]:
            ends.append(errors)
            if len(ends) == 2:
                break
    return ends[0], ends[1]


if __name__ == "__main__":
    low, high = usual(2_400)
    print(
        f"2,400 requests: 24 errors, usually {low} to {high}; a fifth more is 29\n"
    )
    print("                             errors double         a fifth more")
    print("plan                days   noticed  more failed   noticed  more failed")
    for name, plan in PLANS.items():
        row = f"{name:20}{sum(days for days, _ in plan):4}"
        for after in (0.02, 0.012):
            chance, failed = outcome(plan, after)
            row += f"{chance:10.0%}{failed:13.0f}"
        print(row)

    days = [step / 4 for step in range(1, 97)]
    for after, style, label in (
        (0.02, "-", "errors double"),
        (0.015, "--", "half more"),
        (0.012, "-.", "a fifth more"),
    ):
        chances = [100 * noticed(after, 2_400 * day) for day in days]
        plt.plot(days, chances, style, label=label)
    plt.axhline(80, color="gray", linewidth=0.8, linestyle=":")
    plt.xlabel("days at 1% of the traffic")
    plt.ylabel("chance that we notice (%)")
    plt.ylim(0, 105)
    plt.legend()
    plt.show()
