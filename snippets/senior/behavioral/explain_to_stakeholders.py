from statistics import NormalDist

NORMAL, DAILY = NormalDist(), 2_400  # requests per day for the new version


def noticed(before: float, after: float, requests: float) -> float:
    """Chance to notice a rise of the error rate, at one false alarm in 40."""
    noise = (before * (1 - before) + after * (1 - after)) / requests
    return NORMAL.cdf((after - before) / noise**0.5 - NORMAL.inv_cdf(1 - 1 / 40))


def requests_for(before: float, after: float, chance: float = 0.8) -> float:
    """Requests to each version until ``chance`` to notice the rise."""
    z = NORMAL.inv_cdf(1 - 1 / 40) + NORMAL.inv_cdf(chance)
    return (
        z**2 * (before * (1 - before) + after * (1 - after)) / (after - before) ** 2
    )


if __name__ == "__main__":
    print("errors rise from 1%   noticed in a day   requests for 80%    days")
    for after in (0.02, 0.015, 0.012):
        need = requests_for(0.01, after)
        chance = noticed(0.01, after, DAILY)
        print(f"to {after:5.1%}{chance:26.0%}{need:19,.0f}{need / DAILY:8.1f}")
