# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import random
from collections import deque
from dataclasses import dataclass, field

import matplotlib.pyplot as plt

# Seconds on four H100, as in the budget: per step, prompt token, cached token read.
STEP, PROMPT_TOKEN, CACHE_TOKEN = 0.0175, 71.3e-6, 40.8e-9
ROOM = 448_000  # tokens that fit into the cache


@dataclass
class Request:
    arrival: float
    prompt: int
    answer: int
    times: list[float] = field(default_factory=list)  # when each token was sent
    cached: int = 0
    preempted: int = 0

    def size(self) -> int:
        """Tokens so far, all of which must be in the cache for the next one."""
        return self.prompt + len(self.times)

    def first(self) -> float:
        """Seconds to the first token."""
        return self.times[0] - self.arrival

    def gaps(self) -> list[float]:
        """Seconds between tokens."""
        return [b - a for a, b in zip(self.times, self.times[1:], strict=False)]


def serve(requests: list[Request], chunk: int, reserve: bool = False) -> None:
    """Simulate one replica with continuous batching.

    A step gives one token to each request whose prompt is read, and reads at most
    ``chunk`` tokens of prompts. If the cache overflows, the request that joined
    last loses its cache and waits.

    Args:
        requests: in order of arrival; ``times`` is filled.
        reserve: admit a request only if its whole answer will fit, too.
    """
    waiting, running, now = deque(requests), list[Request](), 0.0
    while waiting or running:
        now = now if running else max(now, waiting[0].arrival)
        while waiting and waiting[0].arrival <= now:
            both = [*running, waiting[0]]
            held = sum(r.prompt + r.answer if reserve else r.size() for r in both)
            if held > ROOM and running:
                break
            running.append(waiting.popleft())
        left, ready = chunk, []
        for request in running:
            todo = request.size() - request.cached
            if not (todo == 1 and request.times):  # a prompt, or what was lost
                todo = min(todo, left)
                left -= todo
            request.cached += todo
            if request.cached == request.size():
                ready.append(request)
        now += STEP + PROMPT_TOKEN * (chunk - left)
        now += CACHE_TOKEN * sum(request.cached for request in ready)
        for request in ready:
            request.times.append(now)
        running = [r for r in running if len(r.times) < r.answer]
        held = sum(request.size() for request in running)
        while held > ROOM and len(running) > 1:
            held -= running[-1].size()
            running[-1].cached, running[-1].preempted = 0, running[-1].preempted + 1
            waiting.appendleft(running.pop())


def percentile(values: list[float], percent: float) -> float:
    """The value that ``percent`` of the values do not exceed."""
    return sorted(values)[min(int(len(values) * percent / 100), len(values) - 1)]


def traffic(rate: float, seconds: float, seed: int = 0) -> list[Request]:
    """Random requests with a prompt of 32,000 tokens in the middle of them."""
    generator, now, requests = random.Random(seed), 0.0, list[Request]()
    while now < seconds:
        now += generator.expovariate(rate)
        prompt, answer = generator.randint(1000, 3000), generator.randint(100, 500)
        requests.append(Request(now, prompt, answer))
    requests.append(Request(seconds / 2, 32_000, 300))
    return sorted(requests, key=lambda request: request.arrival)


if __name__ == "__main__":
    print("3/s, one prompt of 32,000   p50 TTFT  its TTFT  longest pause of others")
    for chunk in (100_000, 512, 128):
        requests = traffic(3, 40)
        serve(requests, chunk)
        (long,) = (r for r in requests if r.prompt == 32_000)
        others = [r for r in requests if r is not long]
        pauses = [gap for r in others for gap in r.gaps()]
        usual = percentile([r.first() for r in others], 50)
        name = "whole prompts" if chunk == 100_000 else f"{chunk} tokens a step"
        row = f"{usual:6.1f} s{long.first():8.1f} s{1000 * max(pauses):16.0f} ms"
        print(f"{name:26}{row}")
        if chunk > 128:
            witness = max(
                (r for r in others if r.arrival < 19), key=lambda r: r.arrival
            )
            milliseconds = [1000 * gap for gap in witness.gaps()]
            label = "whole prompts" if chunk == 100_000 else "512 tokens a step"
            plt.step(witness.times[1:], milliseconds, label=label)
    plt.xlabel("time (s)")
    plt.ylabel("pause before a token (ms)")
    plt.yscale("log")
    plt.legend()
    plt.show()

    print()
    print(
        "300 at once, 500 + 1500  pause over 5 s  longest pause  p99 TTFT  mean end"
    )
    for reserve in (False, True):
        requests = [Request(0.0, 500, 1500) for _ in range(300)]
        serve(requests, 512, reserve)
        pauses = [max(request.gaps()) for request in requests]
        first = percentile([request.first() for request in requests], 99)
        mean_end = sum(request.times[-1] for request in requests) / len(requests)
        name = "admit if whole answer fits" if reserve else "admit if prompt fits"
        frozen = sum(pause > 5 for pause in pauses)
        row = f"{frozen:11}{max(pauses):13.1f} s{first:8.0f} s{mean_end:8.0f} s"
        print(f"{name:27}{row}")
