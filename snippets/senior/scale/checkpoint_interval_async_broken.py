import random

MTBF, RESTART = 54 * 24 * 60 / 419, 10.0  # minutes


def simulate(interval, stall, upload, lives: int = 100_000, seed: int = 0):
    """Goodput, and minutes of work lost per failure."""
    generator = random.Random(seed)
    kept = lost = total = 0.0
    for _ in range(lives):
        lived = generator.expovariate(1 / MTBF)
        complete = max(0, (lived - upload) // (interval + stall))
        started = lived // (interval + stall)
        partial = min(lived - started * (interval + stall), interval)
        kept += complete * interval
        lost += (started - complete) * interval + partial
        down = generator.expovariate(1 / MTBF)
        while down < RESTART:  # the restart fails too
            total += down
            down = generator.expovariate(1 / MTBF)
        total += lived + RESTART
    return kept / total, lost / lives


if __name__ == "__main__":
    print("stall   upload   interval   lost per failure   goodput")
    for stall, upload, interval in ((2, 0, 27), (1 / 12, 2, 6), (1 / 12, 30, 30)):
        share, lost = simulate(interval, stall, upload)
        times = f"{stall * 60:4.0f} s{upload:5} min{interval:7} min"
        print(f"{times}{lost:15.0f} min{share:10.1%}")
