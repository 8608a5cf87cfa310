# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from collections import deque

import matplotlib.pyplot as plt

FIXED_MS, ITEM_MS, MAX_BATCH = 4.0, 0.5, 16


def serve(
    rates: list[int], policy: str, seconds: int = 10
) -> tuple[list[tuple[float, float]], list[int], int]:
    """Simulate one GPU that takes batches of frames from several cameras.

    Args:
        rates: frames per second of each camera.
        policy: "fifo" keeps every frame in one queue. "newest" has one slot per
            camera: a frame replaces the waiting one and takes its place in line.
            "newest at the back" has slots too, but a new frame goes to the back.

    Returns:
        When each frame was done and how old it was then (ms), the frames served
        per camera, and the number of dropped frames.
    """
    arrivals = deque(
        sorted(
            (camera * 7.3 % (1000 / rate) + 1000 / rate * frame, camera)
            for camera, rate in enumerate(rates)
            for frame in range(rate * seconds)
        )
    )
    line: dict[object, tuple[float, int]] = {}  # in the order of the line
    done, served, dropped, now = [], [0] * len(rates), 0, 0.0
    while arrivals or line:
        if not line:
            now = max(now, arrivals[0][0])
        while arrivals and arrivals[0][0] <= now:
            frame = arrivals.popleft()
            slot = frame if policy == "fifo" else frame[1]
            dropped += slot in line
            if policy == "newest at the back":
                line.pop(slot, None)
            line[slot] = frame
        batch = [line.pop(slot) for slot in list(line)[:MAX_BATCH]]
        now += FIXED_MS + ITEM_MS * len(batch)
        for taken, camera in batch:
            done.append((now, now - taken))
            served[camera] += 1
    return done, served, dropped


def percentile(done: list[tuple[float, float]], percent: int) -> float:
    """Age in ms that ``percent`` of the frames do not exceed."""
    ages = sorted(age for _, age in done)
    return ages[min(len(ages) * percent // 100, len(ages) - 1)]


if __name__ == "__main__":
    print("10 seconds on one GPU           age: p50      p99  dropped")
    for cameras in (34, 50):
        for policy, style in (("fifo", "--"), ("newest", "-")):
            done, _, dropped = serve([30] * cameras, policy)
            row = f"{cameras} cameras, {policy:16}"
            ages = [percentile(done, percent) for percent in (50, 99)]
            print(f"{row:31}{ages[0]:6.0f} ms{ages[1]:6.0f} ms{dropped:9}")
            times = [time / 1000 for time, _ in done[::50]]
            label = f"{cameras} cameras, {policy}"
            plt.plot(times, [age for _, age in done[::50]], style, label=label)
    print("\n5 cameras at 60/s, 45 at 30/s    frames per camera: 60/s    30/s")
    for policy in ("newest", "newest at the back"):
        _, served, _ = serve([60] * 5 + [30] * 45, policy)
        fast, slow = sum(served[:5]) / 5, sum(served[5:]) / 45
        print(f"{policy:31}{fast:25.0f}{slow:8.0f}")
    plt.xlabel("time (s)")
    plt.ylabel("age of a frame (ms)")
    plt.yscale("log")
    plt.legend()
    plt.show()
