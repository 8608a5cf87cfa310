# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import random
from dataclasses import dataclass
from itertools import accumulate

import matplotlib.pyplot as plt

LAYERS, WIDTH, LONGEST = 6, 512, 512


@dataclass
class Server:
    """One GPU. The defaults are what was counted, and a machine that is assumed."""

    operators: int = 236
    weight_bytes: int = 75_657_216
    launch_us: float = 10
    bytes_per_us: float = 1e6
    flops_per_us: float = 1e7
    own_width: bool = False  # pad to the longest text of the batch, not to 512
    alike: bool = False  # the oldest text, and those closest to it in length
    max_batch: int = 32

    def batch_ms(self, texts: int, width: int) -> float:
        """Time of a batch: the largest of launches, weights and arithmetic."""
        flops = LAYERS * texts * (24 * WIDTH**2 * width + 4 * WIDTH * width**2)
        launch = self.operators * self.launch_us
        read = self.weight_bytes / self.bytes_per_us
        return max(launch, read, flops / self.flops_per_us) / 1e3


@dataclass
class Result:
    """What a simulation counted: latencies in ms, shares between 0 and 1."""

    latencies: list[float]
    padding: float
    busy: float

    def p(self, percent: float) -> float:
        """The latency that ``percent`` of the requests do not exceed."""
        last = len(self.latencies) - 1
        return sorted(self.latencies)[min(int(last * percent / 100), last)]


def simulate(
    server: Server, rate: float, requests: int = 20_000, seed: int = 0
) -> Result:
    """Poisson arrivals at ``rate`` per second, one queue, no wait for a batch."""
    chance = random.Random(seed)
    texts = [chance.lognormvariate(4.5, 0.8) for _ in range(requests)]
    lengths = [max(1, min(LONGEST, int(text))) for text in texts]
    gaps = (chance.expovariate(rate / 1000) for _ in range(requests))
    arrivals = list(accumulate(gaps))
    queue: list[int] = []
    now = busy = 0.0
    arrived = places = 0
    latencies = []
    while len(latencies) < requests:
        if not queue:
            now = max(now, arrivals[arrived])
        while arrived < requests and arrivals[arrived] <= now:
            queue.append(arrived)
            arrived += 1
        if server.alike and len(queue) > server.max_batch:
            oldest = lengths[queue[0]]
            queue.sort(key=lambda i: (abs(lengths[i] - oldest), i))
        batch, queue = queue[: server.max_batch], queue[server.max_batch :]
        queue.sort()
        longest = max(lengths[i] for i in batch)
        width = longest if server.own_width else LONGEST
        spent = server.batch_ms(len(batch), width)
        now, busy, places = now + spent, busy + spent, places + len(batch) * width
        latencies += [now - arrivals[i] for i in batch]
    return Result(latencies, 1 - sum(lengths) / places, busy / now)


if __name__ == "__main__":
    levers = {
        "as served": Server(),
        "8 operators, not 236": Server(operators=8),
        "int8 weights": Server(weight_bytes=75_657_216 // 4),
        "twice the FLOP rate": Server(flops_per_us=2e7),
        "no padding to 512": Server(own_width=True),
        "both, 8 operators": Server(own_width=True, operators=8),
    }
    print("400 texts per second     p50        p99    padding    GPU busy")
    names, heights = [], []
    for name, server in levers.items():
        found = simulate(server, 400)
        row = f"{found.p(50):8.1f} ms {found.p(99):7.1f} ms"
        print(f"{name:20}{row}{found.padding:8.0%}{found.busy:12.0%}")
        names.append(name)
        heights.append(found.p(99))

    print("\n800 texts per second     p50        p99    padding    GPU busy")
    for max_batch in (32, 8, 4):
        for alike in (False, True):
            server = Server(8, own_width=True, alike=alike, max_batch=max_batch)
            found = simulate(server, 800)
            name = f"up to {max_batch}" + ", alike" * alike
            row = f"{found.p(50):8.1f} ms {found.p(99):7.1f} ms"
            print(f"{name:20}{row}{found.padding:8.0%}{found.busy:12.0%}")

    plt.barh(names[::-1], heights[::-1], alpha=0.5)
    for place, height in enumerate(heights[::-1]):
        plt.text(height + 1, place, f"{height:.0f} ms", va="center")
    plt.axvline(50, linewidth=0.8, color="gray")
    plt.xlim(0, 85)
    plt.xlabel("p99 (ms), target 50")
    plt.show()
