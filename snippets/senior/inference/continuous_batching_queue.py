import heapq
import random

SLOTS, MEAN = 32, 200  # slots, and tokens of an answer: one token per step


def serve(how, load, window=0, count=20_000, seed=0):
    """Steps from arrival to the first token, for each request in order."""
    draw, now, requests = random.Random(seed), 0.0, []
    for _ in range(count):
        now += draw.expovariate(load * SLOTS / MEAN)
        requests.append((now, int(draw.expovariate(1 / MEAN)) + 1))
    starts = []
    if how == "continuous":
        free = [0.0] * SLOTS
        for arrival, answer in requests:
            starts.append(max(free[0], arrival))
            heapq.heapreplace(free, starts[-1] + answer)
    else:
        free = 0.0
        while len(starts) < count:
            ahead = requests[len(starts) : len(starts) + SLOTS]
            full = ahead[-1][0]  # when the last slot could be filled
            timeout = full if how == "static" else ahead[0][0] + window
            start = max(free, min(full, timeout))
            batch = [answer for arrival, answer in ahead if arrival <= start]
            starts += [start] * len(batch)
            free = start + max(batch)
    return [
        s + 1 - arrival for s, (arrival, _) in zip(starts, requests, strict=True)
    ]


def percentile(values, percent):
    return sorted(values)[len(values) * percent // 100]


def grows(waits):
    """Whether the wait keeps growing as long as requests arrive."""
    quarter = len(waits) // 4
    return (
        percentile(waits[-quarter:], 50) > 2 * percentile(waits[:quarter], 50) + 9
    )


if __name__ == "__main__":
    print("steps to the first token, median and p99, at a share of the full load")
    print("load        static               dynamic            continuous")
    for load in (0.05, 0.15, 0.3, 0.9):
        row = f"{load:4.0%}"
        for how in ("static", "dynamic", "continuous"):
            waits = serve(how, load)
            pair = f"{percentile(waits, 50):,.0f}  {percentile(waits, 99):,.0f}"
            row += f"{'no end' if grows(waits) else pair:>18}  "
        print(row.rstrip())
    print()
    print("dynamic at 5%, median by window:", end=" ")
    print(
        {w: round(percentile(serve("dynamic", 0.05, w), 50)) for w in (0, 50, 400)}
    )
